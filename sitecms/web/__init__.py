"""The web server's side of the API: server adapter, middleware, and their composition."""
