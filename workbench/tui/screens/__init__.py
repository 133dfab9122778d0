"""Screens: each knows its widgets and hands requests to the session."""
