"""What a survey is: questions, translations, frozen surveys, and what a valid response looks like.

It may import `core`. Start reading in `survey`, then in `frozen`.
"""
