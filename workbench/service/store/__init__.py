"""The embedded database: its file and migrations, what open data becomes in it, and the search over it."""
