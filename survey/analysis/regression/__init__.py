"""Regressions on randomised answers, and with randomised predictors.

Start reading in `regression`, then in `likelihood`.
"""
