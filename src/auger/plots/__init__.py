"""Pictures: of a study, and those of the paper."""
