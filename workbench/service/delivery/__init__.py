"""Alerts at work: schedule, gathering, outbox, digest and mail (interface 6.2 and 6.3)."""
