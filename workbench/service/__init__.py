"""The embedded service: the interface's operations over a database of one's own, filled from open data."""
