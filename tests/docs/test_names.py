"""What `rankmeld` says of a name that it does not have."""

from __future__ import annotations

import importlib

import pytest

import rankmeld as rm


@pytest.mark.parametrize("place", rm._ELSEWHERE)
def test_the_names_of_a_subpackage_lead_there(place):
    module = importlib.import_module(place)
    assert set(rm._ELSEWHERE[place]) <= set(module.__all__) - set(rm.__all__)
    for name in rm._ELSEWHERE[place]:
        with pytest.raises(
            AttributeError, match=f"^module 'rankmeld' has no attribute '{name}'; it is {place}.{name}$"
        ):
            getattr(rm, name)


def test_a_slip_of_the_pen_is_told():
    with pytest.raises(AttributeError, match=r"^module 'rankmeld' has no attribute 'SQLiteStore'$") as caught:
        rm.SQLiteStore  # noqa: B018
    # What Python's "Did you mean" needs.
    assert caught.value.name == "SQLiteStore"
    assert caught.value.obj is rm


def test_looking_whether_a_name_is_there():
    assert not hasattr(rm, "AsyncSqliteStore")
    assert getattr(rm, "__wrapped__", None) is None
