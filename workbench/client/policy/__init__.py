"""The client's decisions, pure: retry, rate window, paging, answers, redaction, file names, paths and addresses.

Nothing here does I/O, sleeps or reads a clock; each decision is a function of its arguments, and is tested as such.
"""
