"""Each extra is found by a module, and its command is one that the reader can run."""

import sys

import pytest

from survey.core.extras import MODULES, has_extra, install_command
from tests.support.tutorials import unknown_names

pytestmark = pytest.mark.fast


@pytest.mark.parametrize("name", MODULES)
def test_an_extra_is_there_exactly_if_its_module_is(name, monkeypatch):
    assert has_extra(name)
    monkeypatch.setitem(sys.modules, MODULES[name], None)
    assert not has_extra(name)


@pytest.mark.parametrize("name", MODULES)
def test_the_command_is_one_that_the_reader_can_run(name):
    in_clone = install_command(name, in_clone=True)
    assert unknown_names(in_clone) == []
    assert (in_clone == "make central-dp") == (name == "central-dp")
    assert install_command(name, in_clone=False) == f"pip install 'candor-survey[{name}]'"
