"""Baselines: two runs compared, case by case."""
