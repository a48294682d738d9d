"""Variables for analyses: columns of answers or reports, and how each was randomised.

`sample_means` has the means of their scores under a sampling design. It may import what `analysis`
may. Start reading in `variables`.
"""
