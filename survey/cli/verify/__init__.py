"""The command `verify`: whether a server serves a survey to everyone as this release makes it.

Start reading in `command`.
"""
