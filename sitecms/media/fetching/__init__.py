"""Requests to hosts named by strangers: remote media and webhook receivers, guarded and bounded."""
