"""The log of what researchers do: which acts are recorded, and in which words.

The argument. An operator, a colleague or a data protection officer can ask who opened a survey,
who took its responses home, who gave whom which role. So every successful change by a researcher,
every file taken home, every sign-in and every command is recorded: who, what, which survey, when.
Nothing else: no address, no device. And nothing that a respondent does is ever recorded, neither
a response nor a withdrawal, so that no moment in the log belongs to one. Failed tries to sign in
are a count (`Store.count_failed`), or strangers could fill the log, with passwords that somebody
typed in the wrong field. Looking at pages is not recorded, neither of researchers nor of those
who have a link to results.

The tables name every way of changing something; tests/web/test_audit_log.py walks all routes and
commands and fails where one has no words. None stands for what changes nothing by itself.
"""

import time

from survey.store.people import Act
from survey.web.extensions import store

BY_COMMAND = "command line"  # no account is called so: names have no spaces
# by endpoint; {words} stand for parts of the address and what the view tells
BY_ROUTE: dict[str, str | None] = {
    "admin.setup": "set up the first account",
    "admin.join": "chose a password by a link",
    "admin.sign_in": "signed in{after}",
    "admin.second_step": "signed in with a second factor{after}",
    "admin.sign_out": "signed out",
    "admin.sign_out_everywhere": "signed out everywhere",
    "admin.change_password": "changed their password",
    "admin.begin_second_factor": None,
    "admin.turn_on_second_factor": "turned their second factor on",
    "admin.turn_off_second_factor": "turned their second factor off",
    "admin.add_person": "added {name} as {role}",
    "admin.change_role": "gave {name} the role {role}",
    "admin.reset_person": "reset the password and second factor of {name}",
    "admin.remove_person": "removed {name}",
    "admin.log_csv": "took the log home",
    "admin.survey_log_csv": "took the log home",
    "admin.new": "made the survey",
    "admin.edit": "saved the draft",
    "admin.start": "made the survey from an example",
    "admin.translate": "saved the translation into {language}",
    "admin.odds": None,
    "admin.preview_typed": None,
    "admin.import_file": "imported the survey from a file",
    "admin.open_survey": "opened the survey",
    "admin.close_survey": "closed the survey",
    "admin.limit": "changed when the survey closes by itself",
    "admin.copy": "copied the survey",
    "admin.archive": "archived the survey",
    "admin.restore": "took the survey back from the archive",
    "admin.erase": "deleted the survey for good",
    "admin.delete_draft": "deleted the draft",
    "admin.simulate_pilot": "simulated a pilot",
    "admin.start_practice": "started practice",
    "admin.delete_rehearsal": "deleted the {kind}",
    "admin.make_invitations": "made invitations",
    "admin.responses": "took responses.csv home",
    "admin.estimates": "took estimates.csv home",
    "admin.codebook_json": "took codebook.json home",
    "admin.export": "took everything home (ZIP)",
    "admin.definition_json": "took the definition home",
    "admin.definition_xlsx": "took the definition home",
    "admin.picture": "took a picture home",
    "admin.tree_picture": "took a picture home",
    "admin.keep_design": "uploaded a file of {columns}",
    "admin.delete_design": "deleted the file of weights, strata and clusters",
    "admin.add_share": "made a link to the results for {whom}",
    "admin.delete_share": "switched a link to the results off",
    "admin.publish": "showed the estimates to {whom}",
    "admin.set_release_budget": "set the budget for releases to epsilon {epsilon}, delta {delta}",
    "admin.draw_release": "released {what}",
    "admin.publish_releases": "showed the releases to {whom}",
    "admin.releases_file": "took releases.csv home",
    "admin.add_token": "made the API token {label}",
    "admin.revoke_token": "revoked the API token {label}",
    "admin.add_webhook": "named a program to tell: {url}",
    "admin.test_webhook": "sent a test to {url}",
    "admin.delete_webhook": "deleted the program to tell: {url}",
    # by a program, once a day for each token, file and survey
    "api.responses": "took responses.csv home with the API token {label}",
    "api.estimates_json": "took estimates.json home with the API token {label}",
    "api.estimates": "took estimates.csv home with the API token {label}",
    "api.codebook_json": "took codebook.json home with the API token {label}",
    "api.releases_json": "took releases.json home with the API token {label}",
    "api.export": "took everything home (ZIP) with the API token {label}",
}
# by the name of the command's function; {words} are its parameters
BY_COMMAND_NAME: dict[str, str | None] = {
    "serve": None,
    "verify": None,
    "seal": None,
    "list_surveys": None,
    "check_surveys": None,
    "estimate": None,
    "crosstab_command": None,
    "compare_command": None,
    "correlate_command": None,
    "list_people": None,
    "plan": None,
    "regress_answers": None,
    "privacy": None,
    "grow_tree": None,
    "validity": None,
    "export": None,
    "import_survey": "imported the survey",
    "bring_file": "made the survey from a file of responses",
    "load": "loaded responses from a file",
    "backup": "made a backup",
    "restore": "restored a backup",
    "move": "copied everything to another database",
    "simulate": "added {n} simulated respondents",
    "budget": "set the budget for releases to epsilon {epsilon}, delta {delta}",
    "release": "released {statistic} of {question}, ε = {epsilon}",
    "releases": None,
    "take_home": "took everything home (ZIP)",
    "invite": "made {count} invitations",
    "create": "added {name} as {role}",
    "change_role": "gave {name} the role {role}",
    "remove": "removed {name}",
    "reset": "reset the password and second factor of {name}",
    "rotate": "replaced the secret key",
    "token": "made the API token {label} of {name}",
    "list_tokens": None,
    "revoke": "revoked API tokens of {name}",
}


def append_act(survey: str, account: str, action: str) -> None:
    """Append an act, now. Raises StoreUnavailable."""
    store().record(Act(survey, account, action, int(time.time())))
