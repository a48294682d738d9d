"""The export bundle: a ZIP with responses, estimates, a codebook and scripts.

The scripts compute every estimate again without any code of Candor. It may import `core` to
`central_dp` and the modules of `formats`. Start reading in `archive`.

    facts.py     what a script needs to know of each question
    scripts.py   estimate.R and estimate.py, from the functions in scripts/
    elsewhere.py rr-and-RRreg.R, with the designs as these packages take them
    spss.py      syntax for SPSS
    pages.py     the codebook for reading, README.txt
    archive.py   all of it in a ZIP
"""

from survey.formats.export_bundle.archive import marked, write_archive

__all__ = ["marked", "write_archive"]
