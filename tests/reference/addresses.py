"""Which addresses may be dialled, said the other way round: firsts and lasts as numbers, no networks.


The classes are those of the IANA registries for special-purpose addresses, as pairs of first and last.
"""

from __future__ import annotations

#: IPv4 as dotted quads: first and last of everything that is no server on the public internet.
V4 = {
    "this network": [("0.0.0.0", "0.255.255.255")],
    "private": [
        ("10.0.0.0", "10.255.255.255"),
        ("172.16.0.0", "172.31.255.255"),
        ("192.168.0.0", "192.168.255.255"),
    ],
    "shared address space": [("100.64.0.0", "100.127.255.255")],
    "loopback": [("127.0.0.0", "127.255.255.255")],
    "link-local": [("169.254.0.0", "169.254.255.255")],
    "protocol assignments": [("192.0.0.0", "192.0.0.255")],
    "documentation": [
        ("192.0.2.0", "192.0.2.255"),
        ("198.51.100.0", "198.51.100.255"),
        ("203.0.113.0", "203.0.113.255"),
    ],
    "6to4 relay": [("192.88.99.0", "192.88.99.255")],
    "benchmarking": [("198.18.0.0", "198.19.255.255")],
    "multicast": [("224.0.0.0", "239.255.255.255")],
    "reserved": [("240.0.0.0", "255.255.255.254")],
    "broadcast": [("255.255.255.255", "255.255.255.255")],
}

#: IPv6 inside 2000::/3, which is all of it that is given out.
V6_INSIDE = {
    "Teredo": [("2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff")],
    "benchmarking": [("2001:2::", "2001:2:0:ffff:ffff:ffff:ffff:ffff")],
    "protocol assignments": [
        ("2001:1::", "2001:1:ffff:ffff:ffff:ffff:ffff:ffff"),
        ("2001:2:1::", "2001:2:ffff:ffff:ffff:ffff:ffff:ffff"),
        ("2001:3::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ],
    "documentation": [
        ("2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"),
        ("3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"),
    ],
    "6to4": [("2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff")],
}

#: IPv6 outside of it: what has a name; the rest is "reserved".
V6_OUTSIDE = {
    "unspecified": [("::", "::")],
    "loopback": [("::1", "::1")],
    "IPv4-compatible": [("::2", "::ffff:ffff")],
    "IPv4-mapped": [("::ffff:0:0", "::ffff:ffff:ffff")],
    "IPv4-translated": [("::ffff:0:0:0", "::ffff:0:ffff:ffff")],
    "NAT64": [
        ("64:ff9b::", "64:ff9b::ffff:ffff"),
        ("64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff"),
    ],
    "discard": [("100::", "100::ffff:ffff:ffff:ffff")],
    "dummy": [("100:0:0:1::", "100:0:0:1:ffff:ffff:ffff:ffff")],
    "segment routing": [("5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff")],
    "unique local": [("fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff")],
    "link-local": [("fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff")],
    "site-local": [("fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff")],
    "multicast": [("ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff")],
}
