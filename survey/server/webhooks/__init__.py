"""Webhooks: messages, a POST that cannot reach private addresses, and delivery with retries.

It may import what `server` may. Start reading in `delivery`.
"""
