"""Survey definitions: questions, translations, frozen surveys and the parsing of responses.

It may import `core`. Start reading in `survey`, then in `frozen`.
"""
