"""The optimizers that the benchmark compares, ours and other people's."""
