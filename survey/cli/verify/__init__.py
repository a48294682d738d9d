"""The command `verify`: does a server send everyone the survey pages of this release?

This package may import whatever `cli` may import. Start reading in `command`.
"""
