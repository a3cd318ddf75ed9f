"""The parts of a run, each a few hooks of pytest: what they know is in the rooms below."""
