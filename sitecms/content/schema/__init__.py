"""The content schema: declarations of page types, collections and components."""
