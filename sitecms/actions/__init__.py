"""What happens: one verb a module. Doors call these; they call the store and the media library."""
