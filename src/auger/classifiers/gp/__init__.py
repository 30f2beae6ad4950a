"""A small Gaussian process that scores by expected improvement."""

from auger.classifiers.gp.classifier import GaussianProcess

__all__ = ["GaussianProcess"]
