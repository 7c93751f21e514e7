"""One network adapter as network.py tells it, whatever its kind."""

from collections import namedtuple

Nic = namedtuple("Nic", "kind model board firmware rates_bit_s state ports_active mtu pcie numa_node inputs")
Nic.__doc__ = """An adapter: `board` is the number that its seller gave the card; `rates_bit_s` has one rate for each
active port that tells it; `ports_active` is None where no state could be read; `inputs` are what was read of it, for
the reasons of what is not there. Its name, addresses and GUIDs are not kept: some systems make names of addresses."""


def group_of(nic):
    """The document's object of one adapter; document.py counts equal ones."""
    group = {
        "kind": nic.kind,
        "model": nic.model,
        "firmware": nic.firmware,
        "rate_bit_s": max(nic.rates_bit_s) if nic.rates_bit_s else None,
        "state": nic.state,
        "ports_active": nic.ports_active,
        "mtu": nic.mtu,
        "pcie": nic.pcie,
        "numa_node": nic.numa_node,
    }
    return {key: value for key, value in group.items() if value is not None}
