"""Which addresses are public, and what a gate lets through."""

import ipaddress
import socket
import threading
import time
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pytest_socket import SocketConnectBlockedError

from sitecms.errors import FetchFailed
from sitecms.guarded_http.addresses import AddressGate, is_public, port_of
from sitecms.guarded_http.errors import ExchangeFailed, ExchangeRefused, ExchangeRejected
from sitecms.media.fetching.fetch import FetchRules, fetch
from tests.media.conftest import Remote

PUBLIC = [
    "1.1.1.1", "8.8.8.8", "93.184.216.34", "172.15.255.255", "172.32.0.0", "192.0.1.1", "198.17.0.1", "198.20.0.1",
    "100.63.255.255", "100.128.0.0", "223.255.255.255", "11.0.0.0", "9.255.255.255", "126.255.255.255",
    "128.0.0.0", "169.253.255.255", "2606:4700::1111", "2a00:1450:4001::200e", "2001:4860:4860::8888", "2001:200::1",
]  # fmt: skip
SPECIAL = [
    "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.255.254",
    "168.63.129.16", "169.254.0.1", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.0.9",
    "192.0.0.170", "192.0.0.192", "192.0.2.1", "192.31.196.1", "192.52.193.1", "192.88.99.1", "192.168.0.1",
    "192.168.255.255", "192.175.48.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1",
    "239.255.255.250", "240.0.0.1", "255.255.255.255",
    "::", "::1", "::127.0.0.1", "::8.8.8.8", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:7f00:1",
    "::ffff:0:127.0.0.1", "64:ff9b::7f00:1", "64:ff9b::8.8.8.8", "64:ff9b:1::1", "100::1", "100:0:0:1::1",
    "2001::1", "2001:0:7f00:1::", "2001:1::1", "2001:2::1", "2001:3::1", "2001:4:112::1", "2001:10::1", "2001:20::1",
    "2001:30::1", "2001:1ff::1", "2001:db8::1", "2002:7f00:1::", "2002:808:808::1", "2620:4f:8000::1", "3ffe::1",
    "3fff::1", "4000::1", "5f00::1", "8000::1", "fc00::1", "fd00:ec2::254", "fdff::1", "fe80::1", "fe80::1%lo",
    "febf::1", "fec0::1", "feff::1", "ff02::1", "ff0e::1", "2606:4700::1111%lo",
]  # fmt: skip
NO_ADDRESS = ["", "localhost", "0x7f000001", "2130706433", "127.1", "0177.0.0.1", "127.0.0.1.", "[::1]", " 8.8.8.8"]
# As a URL may spell the addresses of this machine, of its networks, and of what only looks like one of them.
SPELLINGS = [
    "http://127.0.0.1:{port}/", "http://127.0.0.1.:{port}/", "http://127.1:{port}/", "http://127.0.1:{port}/",
    "http://127.000.000.001:{port}/", "http://127.0.0.2:{port}/", "http://127.255.255.254:{port}/",
    "http://2130706433:{port}/", "http://2130706433.:{port}/", "http://4294967297:{port}/",
    "http://017700000001:{port}/", "http://0177.0.0.1:{port}/", "http://0177.1:{port}/", "http://00177.00.00.01:{port}/",
    "http://0x7f000001:{port}/", "http://0X7F000001:{port}/", "http://0x7f.0x0.0x0.0x1:{port}/",
    "http://0x7f.1:{port}/", "http://0x7f.0.1:{port}/", "http://127.0x1:{port}/", "http://0177.0x0.1:{port}/",
    "http://0:{port}/", "http://0.0.0.0:{port}/", "http://0x0:{port}/", "http://00:{port}/", "http://0.0:{port}/",
    "http://localhost:{port}/", "http://LOCALHOST:{port}/", "http://LocalHost.:{port}/",
    "http://[::1]:{port}/", "http://[0:0:0:0:0:0:0:1]:{port}/", "http://[0000::0001]:{port}/", "http://[::]:{port}/",
    "http://[::127.0.0.1]:{port}/", "http://[::ffff:127.0.0.1]:{port}/", "http://[::ffff:7f00:1]:{port}/",
    "http://[::FFFF:7F00:0001]:{port}/", "http://[0:0:0:0:0:ffff:127.0.0.1]:{port}/",
    "http://[64:ff9b::127.0.0.1]:{port}/", "http://[64:ff9b::7f00:1]:{port}/", "http://[2002:7f00:1::]:{port}/",
    "http://[2001:0:7f00:1::]:{port}/", "http://[fe80::1%25lo]:{port}/", "http://[fe80::1%lo]:{port}/",
    "http://[::1%25lo]:{port}/", "http://[fc00::1]:{port}/", "http://[fec0::1]:{port}/", "http://[ff02::1]:{port}/",
    "http://①②⑦.⓪.⓪.①:{port}/", "http://１２７.０.０.１:{port}/", "http://127。0。0。1:{port}/",
    "http://127．0．0．1:{port}/", "http://127｡0｡0｡1:{port}/", "http://ｌｏｃａｌｈｏｓｔ:{port}/",
    "http://ⓛocalhost:{port}/", "http://loc\u00adalhost:{port}/", "http://127.0.0.1\u200b:{port}/",
    "http://%31%32%37.0.0.1:{port}/", "http://127%2e0%2e0%2e1:{port}/", "http://%6cocalhost:{port}/",
    "http://user@127.0.0.1:{port}/", "http://user:pass@127.0.0.1:{port}/", "http://@127.0.0.1:{port}/",
    "http://93.184.216.34@127.0.0.1:{port}/", "http://93.184.216.34:80@127.0.0.1:{port}/",
    "http://127.0.0.1:{port}@localhost:{port}/", "http://93.184.216.34%40127.0.0.1:{port}/",
    "http://127.0.0.1:{port}\\@93.184.216.34/", "http://93.184.216.34\\@127.0.0.1:{port}/",
    "http://127.0.0.1:{port}#@93.184.216.34/", "http://127.0.0.1:{port}?@93.184.216.34/",
    "http://127.0.0.1 :{port}/", " http://127.0.0.1:{port}/", "http://127.0.0.1\t:{port}/", "http://127.0\n.0.1:{port}/",
    "http:\\\\127.0.0.1:{port}/", "http:/127.0.0.1:{port}/", "http:127.0.0.1:{port}/", "http:///127.0.0.1:{port}/",
    "http:////127.0.0.1:{port}/", "//127.0.0.1:{port}/", "127.0.0.1:{port}/", "HTTP://127.0.0.1:{port}/",
    "https://127.0.0.1:{port}/", "hTTps://[::1]:{port}/", "ftp://127.0.0.1:{port}/", "file://127.0.0.1:{port}/etc",
    "file:///etc/passwd", "gopher://127.0.0.1:{port}/", "dict://127.0.0.1:{port}/", "data:image/png;base64,AAAA",
    "jar:http://127.0.0.1:{port}/", "ldap://127.0.0.1:{port}/", "http+unix://127.0.0.1:{port}/", "http://:{port}/",
    "http://[::1:{port}/", "http://[127.0.0.1]:{port}/", "http://[v1.127]:{port}/", "http://127.0.0.1:0{port}/",
]  # fmt: skip


@pytest.mark.parametrize("address", PUBLIC)
def test_public_addresses(address: str) -> None:
    """Addresses of the public internet are public, up to the borders of the special ranges."""
    assert is_public(address)


@pytest.mark.parametrize("address", SPECIAL + NO_ADDRESS)
def test_special_addresses(address: str) -> None:
    """Every special range is refused, an embedded public IPv4 address notwithstanding, and what is no address."""
    assert not is_public(address)


@given(st.ip_addresses())
def test_public_addresses_are_global(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> None:
    """Nothing is public that Python's own tables call private, multicast, reserved or loopback."""
    if is_public(str(address)):
        assert not any((address.is_private, address.is_multicast, address.is_reserved, address.is_loopback))


@pytest.mark.parametrize("host", ["::", "127.0.0.1"])
def test_loopback_is_refused_in_every_spelling(host: str, remote: Callable[..., Remote]) -> None:
    """Over a hundred spellings of private addresses and of no addresses: none opens a connection."""
    forbidden = remote({}, host=host)
    for spelling in SPELLINGS:
        with pytest.raises(FetchFailed):
            fetch(spelling.format(port=forbidden.port), FetchRules())
    assert len(set(SPELLINGS)) > 90
    assert forbidden.connections == 0


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "LocalHost", "127.0.0.1:{port}", "localhost:{port}"])
def test_a_named_host_is_reached(name: str, remote: Callable[..., Remote]) -> None:
    """The listener of these tests does answer: a host that the settings name may be private."""
    server = remote({"/": b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nsea"})
    entry = name.format(port=server.port)
    host = entry.partition(":")[0]
    assert fetch(f"http://{host}:{server.port}/", FetchRules(allow_hosts=(entry,))).data == b"sea"
    assert server.connections == 1


@pytest.mark.parametrize("entry", ["[::1]", "::1", "[::1]:{port}"])
def test_a_named_ipv6_host_is_reached(entry: str, remote: Callable[..., Remote]) -> None:
    """An IPv6 address may be named with and without brackets."""
    server = remote({"/": b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nsea"}, host="::1")
    rules = FetchRules(allow_hosts=(entry.format(port=server.port),))
    assert fetch(f"http://[::1]:{server.port}/", rules).data == b"sea"


@pytest.mark.parametrize(
    ("entry", "host"),
    [
        ("127.0.0.1:1", "127.0.0.1"),
        ("127.0.0.1", "127.0.0.2"),
        ("127.0.0.1", "2130706433"),
        ("localhost", "127.0.0.1"),
        ("localhost", "x.localhost"),
        ("local", "localhost"),
        ("", "localhost"),
        ("*", "localhost"),
    ],
)
def test_allowed_host_allows_no_other(entry: str, host: str, remote: Callable[..., Remote]) -> None:
    """A named host opens neither another port, nor another name, nor another spelling of its address."""
    server = remote({})
    with pytest.raises(FetchFailed):
        fetch(f"http://{host}:{server.port}/", FetchRules(allow_hosts=(entry,), resolve=lambda *_: ["127.0.0.1"]))
    assert server.connections == 0


@pytest.mark.parametrize(
    "answers",
    [
        ["127.0.0.1"],
        ["93.184.216.34", "127.0.0.1"],
        ["127.0.0.1", "93.184.216.34"],
        ["2606:4700::1111", "93.184.216.34", "::ffff:93.184.216.34"],
        ["93.184.216.34", "not an address"],
        ["169.254.169.254"],
    ],
)
def test_one_address_that_is_not_public_refuses_all(answers: list[str]) -> None:
    """A name is refused if any of its addresses is not public, in whatever order they come."""
    with pytest.raises(ExchangeRefused) as refused:
        AddressGate(resolve=lambda *_: answers).addresses("pictures.example", 443, 1)
    assert "which is not public" in refused.value.reason


@pytest.mark.parametrize("port", [0, 1, 21, 22, 25, 79, 81, 110, 442, 444, 587, 993, 1023, 65536])
def test_ports_of_other_services_are_refused(port: int) -> None:
    """Well-known ports of other services are refused before the name is looked up."""
    asked: list[str] = []

    def resolve(host: str, port: int) -> Sequence[str]:
        asked.append(host)
        return ["93.184.216.34"]

    with pytest.raises(ExchangeRefused):
        AddressGate(resolve=resolve).addresses("x.example", port, 1)
    assert asked == []


@pytest.mark.parametrize("port", [80, 443, 1024, 8080, 65535])
def test_ports_of_the_web(port: int) -> None:
    """The web's own ports and the free ones are open."""
    gate = AddressGate(resolve=lambda *_: ["93.184.216.34"])
    assert [str(address) for address in gate.addresses("x.example", port, 1)] == ["93.184.216.34"]


@pytest.mark.parametrize(
    ("failure", "is_final"),
    [
        (socket.gaierror(socket.EAI_NONAME, "no name"), True),
        (UnicodeError("label too long"), True),
        (socket.gaierror(socket.EAI_AGAIN, "try again"), False),
        (OSError(), False),
    ],
)
def test_unresolvable_name_fails(failure: Exception, is_final: bool) -> None:
    """A name that does not exist is rejected for good; a resolver that fails may be asked again."""

    def resolve(host: str, port: int) -> Sequence[str]:
        raise failure

    with pytest.raises(ExchangeFailed) as failed:
        AddressGate(resolve=resolve).addresses("x.example", 80, 1)
    assert isinstance(failed.value, ExchangeRejected) is is_final


def test_a_name_without_addresses() -> None:
    """No address is a failure, not a refusal: it may have one tomorrow."""
    with pytest.raises(ExchangeFailed) as failed:
        AddressGate(resolve=lambda *_: []).addresses("x.example", 80, 1)
    assert not isinstance(failed.value, ExchangeRefused)


def test_slow_resolver_times_out() -> None:
    """Looking up a name ends with the time given to it."""
    over = threading.Event()

    def resolve(host: str, port: int) -> Sequence[str]:
        over.wait(60)
        return ["93.184.216.34"]

    begun = time.monotonic()
    with pytest.raises(ExchangeFailed):
        AddressGate(resolve=resolve).addresses("x.example", 80, 0.2)
    assert time.monotonic() - begun < 20
    over.set()


def test_the_checked_address_is_the_one_connected_to() -> None:
    """A name that turns private after the check is not asked again: the connection goes to the checked address."""
    answers = iter([["93.184.216.34"], ["127.0.0.1"]])
    asked: list[str] = []

    def resolve(host: str, port: int) -> Sequence[str]:
        asked.append(host)
        return next(answers)

    told = pytest.warns(UserWarning, match=r"93\.184\.216\.34")
    with told, pytest.raises(SocketConnectBlockedError):  # as far as a test gets
        fetch("http://pictures.example/", FetchRules(resolve=resolve))
    assert asked == ["pictures.example"]


@pytest.mark.parametrize(
    ("first", "port", "is_taken"),
    [
        ("https://x.example/", 443, True), ("https://x.example/", 80, True), ("https://x.example/", 8080, False),
        ("http://x.example:9000/", 9000, True), ("http://x.example:9000/", 9001, False),
        ("http://x.example:9000/", 443, True), ("https://x.example/", 9200, False), ("https://x.example/", 8443, True),
    ],
)  # fmt: skip
def test_redirects_lead_to_few_ports(first: str, port: int, *, is_taken: bool) -> None:
    """To those of the web, that of the address that a person wrote, and those that `allow_hosts` names."""
    gate = AddressGate(("x.example:8443",), lambda *_: ("93.184.216.34",), port_of(first))
    if is_taken:
        assert gate.addresses("x.example", port, 1)
    else:
        with pytest.raises(ExchangeRefused) as refused:
            gate.addresses("x.example", port, 1)
        assert refused.value.reason == f"port {port} is not a port of the web"
