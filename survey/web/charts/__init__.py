"""Charts: each module computes all coordinates of one from results; templates print its SVG.

It may import what `web` may. Start reading in `svg`, then in `answer_shares`.
"""
