"""Signing in, accounts, tokens, webhooks and the audit log.

Start reading in `sign_in`.
"""
