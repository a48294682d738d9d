"""Decision trees of randomised answers.

It may import what `analysis` may. Start reading in `trees`.
"""
