"""What a valid response looks like: its parsing, its receipt, and whether it is accepted.

Start reading in `parse_response`.
"""
