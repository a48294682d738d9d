"""What all reports of one respondent reveal about one answer, calculated exactly.

It may import what `definition` may, but not the whole survey. Start reading in `largest_ratio`.
"""
