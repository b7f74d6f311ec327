"""E-mail to users: its texts, the server that takes it, and the worker's thread that sends what waits."""
