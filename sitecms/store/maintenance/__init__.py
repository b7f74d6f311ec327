"""Maintenance of a store: integrity, statistics, media usage, copies, transfer."""
