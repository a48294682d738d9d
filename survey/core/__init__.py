"""The randomizer and the exact arithmetic under it.

Nothing here does input or output, reads a clock or draws randomness. It imports no other package.
Start reading in `randomizer`, then in `mechanisms`.
"""
