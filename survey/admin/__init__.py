"""The researchers' side: sign in, build surveys, open and close them, read and download results.

The argument: every route but the entrance is behind `requires(role)`, and every change is a POST
with a CSRF token. tests/admin/test_routes.py walks the table of routes and fails where one is not.
It may import `core` to `web`, and neither `respondent` nor `api`. Start reading in
`surveys/overview`.
"""

# Each module registers its routes with the blueprint.
from survey.admin.analysis import design_file, pages, tree, validity  # noqa: F401
from survey.admin.blueprint import blueprint
from survey.admin.builder import (  # noqa: F401
    examples,
    preview,
    routes,
    translation_routes,
)
from survey.admin.results import (  # noqa: F401
    central_dp,
    downloads,
    result_links,
)
from survey.admin.results import (  # noqa: F401
    routes as results_routes,
)
from survey.admin.surveys import (  # noqa: F401
    archive,
    checklist,
    import_export,
    invitations,
    lifecycle,
    overview,
    plan,
    share_link,
    simulation,
)
from survey.admin.team import (  # noqa: F401
    account,
    audit_log,
    sign_in,
    team,
    tokens,
    webhooks,
)

__all__ = ["blueprint"]
