"""What goes in: cases, and the files they come from."""
