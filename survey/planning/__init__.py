"""Planning before data collection: privacy in words, precision, sample size, checks, simulation.

It may import `core`, `definition` and `estimation`. Start reading in `checklist`.
"""
