"""A file of randomised answers as researchers have it, a row for each respondent, becomes a survey.

It may import what `formats` may. Start reading in `build_survey`; `designs` has the notations of
Candor and of the R packages rr and RRreg.
"""
