"""What researchers take out of a survey: the ZIP with everything, and the texts with their codes.

It may import what `web` may. Start reading in `export_zip`.
"""
