"""Actions on a site, one verb a module: called by the API, the command line and workers, on the store and media."""
