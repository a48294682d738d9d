"""SQLite files: they are opened again, and other addresses are refused."""

import pytest

from survey.core.errors import SettingsError
from survey.store import open_store
from tests.store.response_samples import ONE
from tests.support.definitions import definition, opened

pytestmark = pytest.mark.both_stores


def test_everything_is_there_after_opening_the_file_again(settings):
    first = open_store(settings.database)
    opened(first, definition())
    first.responses.add_response("health", ONE)
    first.close()
    again = open_store(settings.database)
    assert again.counts.by_question("health") == {"smokes": {0: 1}}
    assert again.surveys.by_slug("health").state == "open"
    again.close()


def test_an_unknown_kind_of_database_is_refused():
    with pytest.raises(SettingsError, match="path of a SQLite file"):
        open_store("mysql://somewhere/candor")
