"""Webhooks: messages, a POST that reaches no private address, and delivery with retries.

Start reading in `delivery`.
"""
