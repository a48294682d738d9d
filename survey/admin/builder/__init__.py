"""The builder: from a form to a definition and back.

It may import what `admin` may. Start reading in `routes`, then in `form_to_definition`.
"""
