"""Application of accepted writes: claimed, remote media fetched, then stored in one fenced transaction."""
