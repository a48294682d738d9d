"""Regressions on randomised answers, and with randomised predictors.

It may import what `analysis` may. Start reading in `regression`, then in `likelihood`.
"""
