"""Responses: how they are parsed, how receipts identify them, and whether they are accepted.

It may import what `definition` may. Start reading in `parse_response`.
"""
