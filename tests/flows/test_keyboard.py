"""Every control is reached by Tab, in the order of the page, and is seen while it has the focus."""

from __future__ import annotations

from typing import Any

import pytest

from tests.flows.conftest import RunningSite
from tests.flows.test_browser import chromium, page, pytestmark, sign_in  # noqa: F401

MOST_TABS = 600
QUICK = ("/lists/ISC21/io500/?r=io500-683&r=io500-772", "/explore/?r=io500-683")
"""Pages with a tray at the foot, which could lie over what has the focus."""
PUBLIC = ("/", "/search/?q=lustre", "/results/io500-772/", "/studies/e1000-fabric-direct/", "/systems/", "/docs/api/")
FOCUSED = """() => {
  const element = document.activeElement;
  if (!element || element === document.body) return null;
  const box = element.getClientRects()[0] || element.getBoundingClientRect(), style = getComputedStyle(element);
  const labels = [...(element.labels || [])];
  const middle = (begin, length, room) => Math.min(Math.max(begin + Math.min(length, 20) / 2, 0), room - 1);
  const isSeen = (part) => {
    const area = part.getClientRects()[0] || part.getBoundingClientRect();
    const x = middle(area.left, area.width, innerWidth), y = middle(area.top, area.height, innerHeight);
    const shown = document.elementFromPoint(x, y);
    return shown && [element, ...labels].some((own) => own.contains(shown) || shown.contains(own));
  };
  // Between the mark and the name of a link in a chart lies the chart.
  const isShown = (element.ownerSVGElement ? [...element.children] : [element]).some(isSeen);
  return {
    place: [...document.querySelectorAll("*")].indexOf(element), html: element.outerHTML.slice(0, 100),
    shown: box.width >= 1 && box.height >= 1 && Boolean(isShown), outlined: style.outlineStyle !== "none",
  };
}"""


def faults_of_tabbing(page: Any, address: str) -> list[str]:  # noqa: F811
    """What is wrong on the way from the first control to the last."""
    page.goto(address)
    faults, last = [], -1
    for _ in range(MOST_TABS):
        page.keyboard.press("Tab")
        focused = page.evaluate(FOCUSED)
        if focused is None or (focused["place"] < last and "#main" in focused["html"]):
            return faults if last >= 0 else [f"{address}: nothing to reach"]
        problems = {
            "goes back": focused["place"] <= last,
            "hidden": not focused["shown"],
            "no outline": not focused["outlined"],
        }
        faults += [f"{address} {name}: {focused['html']}" for name, is_wrong in problems.items() if is_wrong]
        last = focused["place"]
    return [*faults, f"{address}: no end"]


@pytest.mark.parametrize("width", [1280, 390])
def test_the_tray_hides_no_control_with_the_focus(page, width: int) -> None:  # noqa: F811
    page.set_viewport_size({"width": width, "height": 800})
    assert [fault for address in QUICK for fault in faults_of_tabbing(page, address)] == []


def test_a_covered_control_is_detected(page) -> None:  # noqa: F811
    page.goto("/about/")
    page.evaluate(
        """() => { const main = document.querySelector("main");
        main.insertAdjacentHTML("afterbegin", '<div><a href="/" id="under">under</a></div>');
        document.querySelector("#under").parentElement.style.position = "relative";
        const cover = document.createElement("div");
        Object.assign(cover.style, {position: "absolute", inset: "0", background: "white"});
        document.querySelector("#under").after(cover); }"""
    )
    page.locator("#under").focus()
    assert page.evaluate(FOCUSED)["shown"] is False


@pytest.mark.deep
@pytest.mark.parametrize("width", [1280, 390])
def test_public_pages_are_walked_by_keyboard(page, width: int) -> None:  # noqa: F811
    page.set_viewport_size({"width": width, "height": 800})
    assert [fault for address in PUBLIC for fault in faults_of_tabbing(page, address)] == []


@pytest.mark.deep
def test_the_upload_is_walked_by_keyboard(page, site: RunningSite) -> None:  # noqa: F811
    sign_in(page, site, "keys-alice")
    assert faults_of_tabbing(page, "/submissions/new/") == []
    page.get_by_role("button", name="Create draft").press("Enter")
    page.wait_for_url("**/submissions/*-*/")
    own = page.url
    assert [
        fault for address in (own, f"{own}answers/", f"{own}edit/") for fault in faults_of_tabbing(page, address)
    ] == []
