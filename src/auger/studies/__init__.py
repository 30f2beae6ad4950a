"""A command or a function run as the trials of a stored study: child processes, workers, resume, limits."""
