"""Normalisation of responses and belief states: rules as tables, and the code that applies them."""
