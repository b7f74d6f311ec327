"""Store and files of the site folder, kept the same in both directions."""
