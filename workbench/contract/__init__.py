"""The interface as values: records, requests, vocabulary, limits, the 25 operations and the 20 tools.

Nothing here does I/O and nothing here imports another room of this package. Both sides of the interface, the client and
the embedded service, read these tables, so that what one sends is what the other expects.
"""
