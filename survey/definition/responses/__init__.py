"""What a valid response looks like: its parsing, its receipt, and whether it is accepted.

It may import what `definition` may. Start reading in `parse_response`.
"""
