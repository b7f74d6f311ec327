"""What each path answers: views take a Call (and the path's parts) and give the JSON payload."""
