"""Charts: each module computes the coordinates of one chart from results. Templates print the SVG.

It may import what `web` may. Start reading in `svg`, then in `answer_shares`.
"""
