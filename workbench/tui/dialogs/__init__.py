"""Dialogs: small modal screens that end with a value."""
