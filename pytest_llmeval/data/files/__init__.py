"""Files that cases come from: a reader for each form, and the rows that they hold."""
