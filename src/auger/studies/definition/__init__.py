"""What a study is: its file, its command, the rules by which values are read, its limits."""
