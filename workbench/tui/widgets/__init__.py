"""Widgets: each takes values and posts messages, and knows neither the client nor the screen it stands on."""
