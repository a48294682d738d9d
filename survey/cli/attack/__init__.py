"""The command `attack`: textbook attacks on made-up people, with the figures of /learn/break-it.

Start reading in `command`.
"""
