"""The command `verify`, which checks that a server serves a survey exactly as this release does.

This package may import whatever `cli` may import. Start reading in `command`.
"""
