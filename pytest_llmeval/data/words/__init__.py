"""The words of other tools: from a row, by its names, to the case that it is."""
