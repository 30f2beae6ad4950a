"""Many trials at once: who runs which, what is due, and what happens."""
