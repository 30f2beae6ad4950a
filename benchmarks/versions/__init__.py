"""What `compare_versions.py` records: every door to a suggestion, through names that all versions share."""
