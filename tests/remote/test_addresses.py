"""Every class of address, at its first and last one and just outside; the reference says it in numbers."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankmeld.remote.addresses import REFUSED, refused_range
from reference.addresses import V4, V6_INSIDE, V6_OUTSIDE

V6 = {kind: V6_INSIDE.get(kind, []) + V6_OUTSIDE.get(kind, []) for kind in {**V6_INSIDE, **V6_OUTSIDE}}
ENDS = [
    (kind, end)
    for table in (V4, V6)
    for kind, ranges in table.items()
    for pair in ranges
    for end in dict.fromkeys(pair)
]


def expected_kinds(address):
    """What the reference calls an address, by comparing numbers; `None` for one that may be dialled."""
    for kind, ranges in (V4 if address.version == 4 else V6).items():
        for first, last in ranges:
            low, high = ip_address(first), ip_address(last)
            if low.version == address.version and int(low) <= int(address) <= int(high):
                return kind
    if address.version == 6 and int(address) >> 125 != 1:
        return "reserved"
    if address.version == 6 and f"{int(address):032x}"[16:24] in ("00005efe", "02005efe"):
        return "ISATAP"
    return None


def kind_of(address):
    row = refused_range(address)
    # 0.0.0.0 has a name of its own.
    return None if row is None else "this network" if str(address) == "0.0.0.0" else row.kind


@pytest.mark.parametrize(("kind", "address"), ENDS)
def test_the_ends_of_every_range_are_refused(kind, address):
    assert kind_of(ip_address(address)) == kind


@pytest.mark.parametrize("row", REFUSED, ids=lambda row: str(row.network))
def test_around_the_ends_of_our_rows_the_reference_agrees(row):
    ends = (int(row.network.network_address), int(row.network.broadcast_address))
    kind = IPv4Address if row.network.version == 4 else IPv6Address
    for number in (ends[0] - 1, ends[0], ends[0] + 1, ends[1] - 1, ends[1], ends[1] + 1):
        if 0 <= number < 2 ** (32 if row.network.version == 4 else 128):
            address = kind(number)
            assert kind_of(address) == expected_kinds(address), address


@pytest.mark.parametrize("row", REFUSED, ids=lambda row: str(row.network))
def test_every_row_says_something_that_no_row_before_it_says(row):
    ends = (row.network.network_address, row.network.broadcast_address)
    middle = type(ends[0])((int(ends[0]) + int(ends[1])) // 2)
    assert row in {refused_range(address) for address in (*ends, middle)}


NEAR = st.sampled_from(ENDS).map(lambda row: ip_address(row[1]))


@st.composite
def addresses(draw):
    base = draw(NEAR)
    bits = 32 if base.version == 4 else 128
    flipped = int(base) ^ (draw(st.integers(0, 1)) << draw(st.integers(0, bits - 1)))
    return type(base)(flipped)


@given(addresses() | st.ip_addresses(v=4) | st.ip_addresses(v=6))
def test_any_address_is_what_the_reference_calls_it(address):
    assert kind_of(address) == expected_kinds(address)


@pytest.mark.parametrize(
    "address",
    [
        "1.1.1.1",
        "8.8.8.8",
        "9.255.255.255",
        "11.0.0.0",
        "100.63.255.255",
        "100.128.0.0",
        "172.15.255.255",
        "172.32.0.0",
        "192.167.255.255",
        "223.255.255.255",
        "2606:4700:4700::1111",
        "2001:200::",
        "2001:4860:4860::8888",
        "3ffe::1",
        "3fff:1000::",
    ],
)
def test_public_addresses_are_dialled(address):
    assert refused_range(ip_address(address)) is None


@pytest.mark.parametrize("inner", ["00005efe", "02005efe"])
def test_isatap_addresses_are_refused_under_any_prefix(inner):
    address = IPv6Address(int(f"2606470000000000{inner}0a000001", 16))
    assert kind_of(address) == "ISATAP"
    assert kind_of(IPv6Address(int(address) ^ (1 << 63))) is None


@pytest.mark.parametrize("row", [row for row in REFUSED if row.own], ids=lambda row: str(row.network))
def test_only_ranges_of_private_networks_can_be_opted_in(row):
    assert row.kind in ("private", "unique local", "shared address space")
