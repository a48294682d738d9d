"""Sign-in, accounts, tokens, webhooks and the audit log.

It may import what `admin` may. Start reading in `sign_in`.
"""
