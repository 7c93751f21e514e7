"""Pages are soon there on a slow phone network, and nothing on them jumps: LCP, CLS and bytes, measured by a browser.

The network is Chromium's own throttle: 1.6 Mbit/s, 150 ms there and back, as "slow 4G" of its tools; nothing is cached.
The processor is not slowed: how fast the machine of a test is says nothing of a page.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from tests.flows.conftest import RunningSite
from tests.flows.test_accessibility import PRIVATE, SYSTEM
from tests.flows.test_browser import chromium, pytestmark, sign_in  # noqa: F401

MOST_LCP_MS, MOST_CLS, MOST_BYTES = 1500, 0.1, 60_000
PAINTED_WITHIN_MS = 30_000
ATTEMPTS = 3
"""A busy machine is no fault of a page: the best of so many loads counts."""
SLOW_4G = {"offline": False, "latency": 150, "downloadThroughput": 1.6e6 / 8, "uploadThroughput": 750e3 / 8}
PAGES = (
    "/", "/lists/", "/lists/SC25/production/", "/lists/ISC21/io500/", "/results/", "/results/io500-772/",
    "/results/io500-1/", "/results/demo-2/", "/results/io500-772/among/", "/systems/", SYSTEM, f"{SYSTEM}history/",
    "/sites/", "/sites/lrz/", "/platforms/cray-e2000/", "/generations/cray-e2000/", "/hardware/", "/sizing/",
    "/compare/?results=io500-683,io500-772", "/compare/", "/explore/", "/studies/", "/studies/e1000-fabric-direct/",
    "/studies/filesystems/", "/study/?metric=score&x=filesystem", "/ranking/?formula=score/client_nodes&tool=io500",
    "/search/?q=lustre", "/analysis/io500/", "/parameters/", "/docs/", "/docs/upload/", "/docs/api/", "/docs/findings/",
    "/tour/ceiling/", "/about/", "/releases/", "/log/", "/login/", "/collector/", "/nothing-is-here/",
)  # fmt: skip
LIGHT = ("/", "/lists/", "/results/", "/compare/", "/studies/", "/systems/")
"""Beginnings of addresses whose pages have a limit of bytes; documents are as long as they are."""
OBSERVE = """
window.measured = {lcp: 0, cls: 0};
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.measured.lcp = entry.startTime;
}).observe({type: "largest-contentful-paint", buffered: true});
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.measured.cls += entry.value;
}).observe({type: "layout-shift", buffered: true});
"""


@dataclass(frozen=True)
class Load:
    """When the largest part was painted, how far parts moved (0 to 1), and what went over the network."""

    lcp_ms: float
    cls: float
    received: int

    def faults(self, address: str, *, limits_bytes: bool) -> list[str]:
        faults = []
        if not 0 < self.lcp_ms <= MOST_LCP_MS:
            faults.append(f"{address}: LCP {self.lcp_ms:.0f} ms")
        if self.cls > MOST_CLS:
            faults.append(f"{address}: CLS {self.cls:.3f}")
        if limits_bytes and self.received > MOST_BYTES:
            faults.append(f"{address}: {self.received:,} bytes")
        return faults


def load_slowly(browser: Any, site: RunningSite, address: str, state: Any = None) -> Load:
    """A page in a fresh browser on a slow network, until nothing is asked for any more."""
    context = browser.new_context(base_url=site.url, viewport={"width": 390, "height": 844}, storage_state=state)
    page = context.new_page()
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.emulateNetworkConditions", SLOW_4G)
    received: list[int] = []
    session.on("Network.loadingFinished", lambda event: received.append(int(event["encodedDataLength"])))
    page.add_init_script(OBSERVE)
    page.goto(address, wait_until="networkidle")
    page.wait_for_function("window.measured.lcp > 0", timeout=PAINTED_WITHIN_MS)
    timings = page.evaluate("window.measured")
    context.close()
    return Load(timings["lcp"], timings["cls"], sum(received))


def faults_of(browser: Any, site: RunningSite, address: str, state: Any = None) -> list[str]:
    """What is over its limit in every one of the attempts."""
    faults: list[str] = []
    for _ in range(ATTEMPTS):
        faults = load_slowly(browser, site, address, state).faults(address, limits_bytes=is_light(address))
        if not faults:
            return []
    return faults


def is_light(address: str) -> bool:
    return address == "/" or any(address.startswith(start) for start in LIGHT[1:])


@pytest.mark.deep
@pytest.mark.parametrize("address", PAGES)
def test_a_page_is_soon_there_on_a_slow_network(chromium, site: RunningSite, address: str) -> None:  # noqa: F811
    assert faults_of(chromium, site, address) == []


@pytest.mark.deep
def test_private_pages_are_soon_there_on_a_slow_network(chromium, site: RunningSite) -> None:  # noqa: F811
    context = chromium.new_context(base_url=site.url)
    sign_in(context.new_page(), site, "slow-alice")
    state = context.storage_state()
    context.close()
    assert [fault for address in PRIVATE for fault in faults_of(chromium, site, address, state)] == []


def test_a_late_and_jumping_page_is_detected(chromium, site: RunningSite) -> None:  # noqa: F811
    """Each limit is exceeded on purpose: a picture that comes late and pushes the text down, and is large."""
    late_load = Load(lcp_ms=1501, cls=0.11, received=60_001)
    assert late_load.faults("/x/", limits_bytes=True) == ["/x/: LCP 1501 ms", "/x/: CLS 0.110", "/x/: 60,001 bytes"]
    assert Load(0, 0.0, 0).faults("/x/", limits_bytes=True) == ["/x/: LCP 0 ms"]
    light_load = load_slowly(chromium, site, "/about/")
    assert light_load.faults("/about/", limits_bytes=True) == []
    assert light_load.received > 5_000 and light_load.lcp_ms > 300
