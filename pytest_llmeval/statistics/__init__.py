"""Statistics: intervals of rates, tests of pairs, what could have been seen."""
