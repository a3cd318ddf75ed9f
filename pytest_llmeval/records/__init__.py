"""Records: what a run keeps, as plain values that cross processes as JSON."""
