"""Metrics of the users' own: declared, as a function, or in a Markdown file."""
