"""Import of randomised answers: a CSV file with a row for each respondent becomes a survey.

It may import what `formats` may. Start reading in `build_survey`. `designs` reads the notations of
Candor and of the R packages rr and RRreg.
"""
