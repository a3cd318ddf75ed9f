"""What metrics and judges both need to know of language."""
