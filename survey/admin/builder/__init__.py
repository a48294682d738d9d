"""The builder: from a form to a definition and back.

Start reading in `routes`, then in `form_to_definition`.
"""
