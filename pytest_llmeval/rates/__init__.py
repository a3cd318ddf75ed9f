"""Rates: what many results amount to, each case once."""
