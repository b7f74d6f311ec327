"""sitecms: a self-hosted content service and static-site builder over one store."""

__version__ = "0.1.0"
