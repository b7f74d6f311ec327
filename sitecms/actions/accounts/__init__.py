"""Users of the studio: passwords, users, signing in, and permissions."""
