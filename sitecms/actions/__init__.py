"""Actions on a site, one for each module: called by the API, the command line and workers, on the store and media."""
