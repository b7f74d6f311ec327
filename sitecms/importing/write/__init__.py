"""Writing of planned files into a site folder, with the state that makes a second run safe."""
