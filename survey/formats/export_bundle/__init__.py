"""The export bundle: a ZIP with responses, estimates, a codebook and scripts.

The scripts compute every estimate again without any code of Candor. It may import what `formats`
may. Start reading in `archive`, which puts together what the other modules write.
"""

from survey.formats.export_bundle.archive import file_name_with_origin, write_archive

__all__ = ["file_name_with_origin", "write_archive"]
