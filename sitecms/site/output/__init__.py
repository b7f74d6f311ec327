"""The output folder: manifest, staging directory, atomic swap, files of other programs."""
