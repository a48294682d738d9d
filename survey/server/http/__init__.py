"""The HTTP front: connections, threads, headers, and pages that are answered from memory.

Start reading in `asgi_app`.
"""
