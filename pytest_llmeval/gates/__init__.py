"""What many results together amount to, and what that means for the build."""
