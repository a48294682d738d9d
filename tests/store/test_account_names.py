"""No new account gets a name that resembles another. Existing accounts keep their names."""

import pytest

from survey.core.errors import StateError
from survey.store import ANALYST, OWNER, Account
from survey.store.account_names import comparable, name_fault, scripts_of
from tests.support.researchers import PASSWORD, Researcher, password_hash, signed_in
from tests.support.stores import connected

CYRILLIC_O = "\N{CYRILLIC SMALL LETTER O}"
GOOD = (
    *("owner", "Owner", "o.wner-2@example.org", "_", "7", "Zoë", "Nguyễn", "กขค", "владелец"),
    *("αλέξης", "王小明", "山田たろう", "ヤマダ太郎", "김철수", "owner2", "владелец2", "王2"),
)


@pytest.mark.parametrize("name", GOOD)
def test_a_name_of_one_script_is_good(name):
    assert name_fault(name) is None


@pytest.mark.parametrize(
    ("name", "scripts"),
    [
        (f"{CYRILLIC_O}wner", "Cyrillic and Latin"),
        ("own\N{CYRILLIC SMALL LETTER IE}r", "Cyrillic and Latin"),
        ("\N{GREEK SMALL LETTER OMICRON}wner", "Greek and Latin"),
        ("owner王", "Cjk and Latin"),
        ("owner\N{THAI DIGIT ONE}", "Latin and Thai"),
        ("o\N{ARMENIAN SMALL LETTER OH}", "Armenian and Latin"),
    ],
)
def test_a_name_of_two_scripts_is_refused(name, scripts):
    assert name_fault(name) == (f"This name mixes letters of {scripts}. Use letters of one script.")


@pytest.mark.parametrize("name", ["ｏｗｎｅｒ", "𝐨𝐰𝐧𝐞𝐫", "owneʳ", "oﬃce", "owner²"])
def test_a_character_that_stands_for_others_is_refused(name):
    fault = name_fault(name)
    assert fault is not None
    assert "look like others" in fault


def test_digits_and_marks_are_of_all_scripts():
    assert scripts_of("1._@-") == set()
    assert scripts_of("a1б") == {"LATIN", "CYRILLIC"}


@pytest.mark.parametrize(
    ("one", "other"), [("owner", "OWNER"), ("straße", "STRASSE"), ("ΣΑΣ", "σας"), ("ﬁn", "FIN")]
)
def test_names_that_differ_in_case_alone_are_the_same(one, other):
    assert comparable(one) == comparable(other)


@pytest.mark.both_stores
def test_no_name_is_added_beside_one_that_differs_in_case_alone(app, store):
    owner = signed_in(app, "owner", OWNER)
    for name in ("OWNER", "Owner"):
        with pytest.raises(StateError, match="There is already an account 'owner'"):
            store.accounts.add_account(Account(name=name, role=ANALYST, password_hash="x"))
        typed = {"name": name, "role": ANALYST, "own": PASSWORD}
        reply = owner.post("/admin/people/add", typed)
        assert reply.status_code == 422
        assert "There is already an account" in reply.get_data(as_text=True)
    for name in (f"{CYRILLIC_O}wner", "ｏｗｎｅｒ"):
        typed = {"name": name, "role": ANALYST, "own": PASSWORD}
        assert owner.post("/admin/people/add", typed).status_code == 422
        made = app.test_cli_runner().invoke(args=["account", "create", name], input="x" * 20)
        assert made.exit_code == 1
    assert [each.name for each in store.accounts.people()] == ["owner"]


@pytest.mark.both_stores
def test_accounts_from_before_sign_in_as_before(app, store, settings):
    signed_in(app, "owner", OWNER)
    before = ("OWNER", f"{CYRILLIC_O}wner", "ｏｗｎｅｒ")
    with connected(settings.database) as connection:
        for name in before:
            connection.execute(
                "INSERT INTO accounts (name, role, password_hash) VALUES (?, ?, ?)",
                [name, ANALYST, password_hash()],
            )
    for name in before:
        researcher = Researcher(app.test_client())
        reply = researcher.post("/admin/sign-in", {"name": name, "password": PASSWORD})
        assert reply.location == "/admin/"
        with app.app_context():
            assert store.accounts.by_name(name).name == name
        assert name in researcher.client.get("/admin/account").get_data(as_text=True)
