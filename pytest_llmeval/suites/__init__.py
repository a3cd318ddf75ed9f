"""Suites: metrics that together say whether a case is good, and if not, what to mend first."""
