"""Webhooks: events, subscriptions, deliveries, and signed messages."""
