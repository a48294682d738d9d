"""Files in and out: CSV, workbooks, definitions, XLSForm, randomised data, the export bundle.

It may import `core` to `central_dp`. Start reading in `csv_export`.
"""
