"""The respondents' pages.

This package may import the packages from `core` to `web`, but neither `api` nor `admin`. Start
reading in `routes`.
"""
