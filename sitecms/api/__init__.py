"""The content API, /v2, as a Flask app."""
