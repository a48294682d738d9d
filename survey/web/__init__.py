"""The Flask code that all parts share: accounts, sign-in, rendering, languages, the audit log.

It may import `core` to `server`. Start reading in `rendering` and `auth`.
"""
