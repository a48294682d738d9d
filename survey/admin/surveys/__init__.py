"""Pages of one survey and of the list: overview, plan, checklist, opening and closing, archive.

Start reading in `overview`.
"""
