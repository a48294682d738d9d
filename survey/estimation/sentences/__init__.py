"""Sentences on estimates that pages and terminals share."""
