"""The content model: immutable values and the rules about them. Pure: no file, no store, no network, no clock."""
