"""The HTTP front: connections, threads, headers, and pages that are answered from memory.

It may import what `server` may. Start reading in `asgi_app`.
"""
