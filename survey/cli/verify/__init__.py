"""The command `verify`: does a server send everyone the survey pages of this release?

It may import what `cli` may. Start reading in `command`.
"""
