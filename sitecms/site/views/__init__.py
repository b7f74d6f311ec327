"""The values that templates see, built from content."""
