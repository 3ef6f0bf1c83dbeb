"""Watching a training loop (highwatermark.watch)."""
