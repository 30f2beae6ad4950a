"""One trial as a process: started, watched, ended, and its value read."""
