"""Webhooks: messages, a POST that reaches no private address, and delivery with retries.

It may import what `server` may. Start reading in `delivery`.
"""
