"""Traces: what the spans of an app's run, as other tools write them, tell of its answer."""
