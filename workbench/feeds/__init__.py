"""Open data in: published feeds become notices, one shape for every source. No I/O beyond reading what is handed over."""
