"""Changes between surveys.

It may import what `analysis` may. Start reading in `changes`.
"""
