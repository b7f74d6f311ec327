"""Reading of content files as raw values, without the store."""
