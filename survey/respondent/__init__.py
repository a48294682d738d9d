"""The respondents' pages.

It may import `core` to `web`, and neither `api` nor `admin`. Start reading in `routes`.
"""
