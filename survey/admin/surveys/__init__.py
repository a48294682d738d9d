"""Pages of one survey and of the list: overview, plan, checklist, opening and closing, archive.

It may import what `admin` may. Start reading in `overview`.
"""
