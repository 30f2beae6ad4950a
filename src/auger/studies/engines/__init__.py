"""Other places for trials to run than this machine."""
