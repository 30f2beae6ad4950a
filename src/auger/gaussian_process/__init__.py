"""Gaussian-process mathematics on arrays: kernel, likelihood, posterior, warps of the values, evidence of noise."""
