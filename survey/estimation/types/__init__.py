"""Estimates that only one type of question has."""
