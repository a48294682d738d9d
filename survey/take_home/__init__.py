"""What researchers take home: one ZIP with the responses, the estimates, what explains them, and
scripts that make every estimate anew with nothing of ours.

    facts.py     what a script needs to know of each question
    scripts.py   estimate.R and estimate.py, from the functions in scripts/
    elsewhere.py rr-and-RRreg.R, with the designs as these packages take them
    spss.py      syntax for SPSS
    pages.py     the codebook for reading, README.txt
    archive.py   all of it in a ZIP
"""

from .archive import marked, write_archive

__all__ = ["marked", "write_archive"]
