"""The audit log in the store: the database refuses to change it."""

import pytest

from survey.store.sql.audit_log import Act
from tests.support.acts import acts
from tests.support.stores import IntegrityErrors, connected

pytestmark = pytest.mark.both_stores


def test_an_act_has_no_place_for_an_address_or_a_device(settings, store):
    with connected(settings.database) as connection:
        columns = [each[0] for each in connection.execute("SELECT * FROM acts").description]
    assert columns == ["number", "survey", "account", "action", "moment"]


@pytest.mark.parametrize(
    "change",
    ["UPDATE acts SET account = 'eve'", "DELETE FROM acts", "DELETE FROM acts WHERE FALSE"],
)
def test_the_database_itself_refuses_to_change_the_log(settings, store, change):
    store.audit.record(Act(survey="health", account="ada", action="opened the survey", moment=5))
    if change.endswith("WHERE FALSE"):
        with connected(settings.database) as connection:
            connection.execute(change)  # a statement without rows is no change
    else:
        with (
            pytest.raises(IntegrityErrors, match="only ever added"),
            connected(settings.database) as connection,
        ):
            connection.execute(change)
    assert acts(store) == [("health", "ada", "opened the survey")]
