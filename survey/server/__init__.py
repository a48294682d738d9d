"""The process: the HTTP front, group commit, background work, logs and metrics.

It may import `core` to `store`. Start reading in `http/asgi_app`, then in `record_responses`.
"""
