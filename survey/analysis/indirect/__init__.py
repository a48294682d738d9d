"""Indirect questions other than randomised response: the crosswise model and list experiments.

Respondents protect their answers themselves, with a fact that only they know or with a count.
"""
