// Keeps ticked rows in the address at once. Without this file "Keep ticked" does the same.
"use strict";

(() => {
  const MOST = 20;
  const BOXES = "main input[type=checkbox][name=results]";
  const keptIds = () => new URLSearchParams(location.search).getAll("r");

  // Links, ways back and filter forms of the page take over what the same page of the new address has.
  function copyAddresses(page) {
    for (const [selector, name] of [["main a[href]", "href"], ["main button[name=back]", "value"]]) {
      const links = (root) => [...root.querySelectorAll(selector)].filter((link) => !link.closest("#tray"));
      const [current, next] = [links(document), links(page)];
      if (current.length === next.length) {
        current.forEach((link, index) => link.setAttribute(name, next[index].getAttribute(name)));
      }
    }
    for (const form of document.querySelectorAll("main form.bar:not([action])")) {
      form.querySelectorAll("input[name=r]").forEach((field) => field.remove());
      for (const id of keptIds()) {
        const field = document.createElement("input");
        [field.type, field.name, field.value] = ["hidden", "r", id];
        form.append(field);
      }
    }
  }

  async function drawTray() {
    const address = location.href;
    const response = await fetch(address);
    if (!response.ok || address !== location.href) {
      return;
    }
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    document.getElementById("tray")?.remove();
    const tray = page.getElementById("tray");
    if (tray) {
      document.getElementById("main").append(document.adoptNode(tray));
    }
    copyAddresses(page);
  }

  function tickKept() {
    for (const box of document.querySelectorAll(BOXES)) {
      box.checked = box.checked || keptIds().includes(box.value);
    }
  }

  document.addEventListener("change", (event) => {
    const box = event.target;
    if (!box.matches(BOXES)) {
      return;
    }
    const others = keptIds().filter((id) => id !== box.value);
    if (box.checked && others.length >= MOST) {
      return;
    }
    const query = new URLSearchParams(location.search);
    query.delete("r");
    (box.checked ? [...others, box.value] : others).forEach((id) => query.append("r", id));
    history.replaceState(history.state, "", `${location.pathname}${query.size ? "?" : ""}${query}`);
    drawTray().catch(() => {});
  });
  document.addEventListener("instant:shown", tickKept);
  tickKept();
})();
