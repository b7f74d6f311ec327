"""Writing of planned files into a site folder; the state protects files that a person edited."""
