"""Third-party JavaScript of the studio: its versions, its entry points, and the build hook that bundles it."""
