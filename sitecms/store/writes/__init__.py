"""Accepted writes, reservations, webhook deliveries, tokens, and claims of workers."""
