"""Simulations of figures and tests that no other study measures."""
