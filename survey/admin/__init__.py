"""The researcher's pages: sign in, build surveys, open and close them, read and download results.

This module imports every module of the package, which registers their routes with the blueprint.

The argument: every route except sign-in names the role that it needs, and every change is a POST
with a CSRF token. tests/admin/test_routes.py checks all routes.
It may import `core` to `web`, and neither `respondent` nor `api`. Start reading in
`surveys/overview`.
"""

from importlib import import_module
from pkgutil import walk_packages

from survey.admin.blueprint import blueprint

for module in walk_packages(__path__, f"{__name__}."):
    import_module(module.name)

__all__ = ["blueprint"]
