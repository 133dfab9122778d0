"""The asynchronous client: the source from which ``workbench/client/_sync`` is generated."""
