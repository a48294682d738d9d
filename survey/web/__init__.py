"""What all sides share of Flask: accounts, sign-in, rendering, languages, the audit log.

It may import `core` to `server`. Start reading in `rendering` and `auth`.
"""
