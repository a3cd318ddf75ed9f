"""How results are shown to people and programs."""
