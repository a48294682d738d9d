"""The command `verify`: whether a server serves a survey to everyone as this release makes it.

It may import what `cli` may. Start reading in `command`.
"""
