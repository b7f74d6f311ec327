"""Users of the studio, their sessions, and the log of their actions."""
