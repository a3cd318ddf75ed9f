"""Who answers questions, how they are reached, and where their answers are kept."""
