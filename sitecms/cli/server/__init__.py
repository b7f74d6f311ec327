"""The processes of `sitecms serve`: the supervisor, and the processes that end with it."""
