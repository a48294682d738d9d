"""The export bundle: a ZIP with responses, estimates, a codebook and scripts.

The scripts compute every estimate again without any code of Candor. It may import what `formats`
may. Start reading in `archive`, which puts together what the other modules write.
"""
