"""What users call: an assertion for each claim, any metric by name, a question of one's own."""
