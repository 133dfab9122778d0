# Generated from workbench/client/_async by workbench.client.generate_sync. Edit the source, not this file.
"""The sync client."""
