"""Views of the studio, by subject; each module has a table ROUTES."""
