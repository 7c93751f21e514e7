"""Where a webhook may lead: public unicast hosts, and nothing that a network could turn into a neighbour."""

from __future__ import annotations

import ipaddress

import pytest

from submissions.errors import WebhookRefused
from submissions.notifications import public_addresses, webhooks


@pytest.mark.parametrize(
    "address",
    [
        *("8.8.8.8", "1.1.1.1", "193.0.6.139", "100.63.255.255", "100.128.0.1", "172.32.0.1", "223.255.255.255"),
        *("2001:4860:4860::8888", "2606:4700::1111", "2a00:1450:4001::1", "2001:200::1", "3ffe:ffff::1"),
    ],
)
def test_hosts_of_the_internet_are_public(address: str) -> None:
    assert public_addresses.is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.0.1", "169.254.169.254", "100.64.0.1",),
        "0.0.0.0",
        *("168.63.129.16", "192.0.0.192", "192.0.0.8", "198.18.0.1", "203.0.113.5", "192.0.2.1",),
        *("224.0.0.1", "239.1.1.1"),
        *("240.0.0.1", "255.255.255.255", "192.88.99.1"),
        *("::1", "::", "::127.0.0.1", "::8.8.8.8", "::ffff:8.8.8.8", "::ffff:127.0.0.1", "::ffff:0:8.8.8.8"),
        *("64:ff9b::a9fe:a9fe", "64:ff9b::808:808", "64:ff9b:1::1", "100::1", "fe80::1", "fe80::1%eth0", "fc00::1",),
        "fd00:ec2::254",
        *("ff02::1", "ff0e::1", "2001::1", "2001:db8::1", "2002:7f00:1::",),
        *("2002:808:808::", "3fff::1", "5f00::1", "4000::1"),
        *("2001:4860:4860::8888%eth0", "", "example.org", "8.8.8", "0x7f.1", "2130706433"),
    ],
)  # fmt: skip
def test_every_other_address_is_refused(address: str) -> None:
    assert not public_addresses.is_public(address)


def test_addresses_that_python_calls_private_are_refused() -> None:
    """Its list is kept by others, and grows with its releases."""
    private = [*ipaddress._IPv4Constants._private_networks, *ipaddress._IPv6Constants._private_networks]
    assert len(private) > 10
    assert not [network for network in private if public_addresses.is_public(str(network[0]))]


@pytest.mark.parametrize(
    "url",
    [
        *("https://1.1.1.1:22/", "https://1.1.1.1:80/", "https://1.1.1.1:6379/", "https://1.1.1.1:4430/", "http://1.1.1.1/"),
        *("https://[64:ff9b::a9fe:a9fe]/", "https://[::127.0.0.1]/", "https://168.63.129.16/", "https://192.0.0.192/"),
        *("https://[::ffff:127.0.0.1]/", "https://0x7f000001/", "https://017700000001/", "https://127.1/"),
    ],
)  # fmt: skip
def test_an_address_is_refused_by_port_and_host(settings, url: str) -> None:
    settings.INSECURE_LOCAL = False
    with pytest.raises(WebhookRefused):
        webhooks._public_addresses(webhooks._url_parts(url))


@pytest.mark.parametrize(
    "url", ["https://1.1.1.1/", "https://1.1.1.1:443/x", "https://1.1.1.1:8443/", "https://[2606:4700::1111]/"]
)
def test_a_public_address_on_a_permitted_port_is_accepted(settings, url: str) -> None:
    settings.INSECURE_LOCAL = False
    assert webhooks._public_addresses(webhooks._url_parts(url))
