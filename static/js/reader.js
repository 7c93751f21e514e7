// The reader's time beside UTC, buttons that copy, and a theme that is there at once. Pages say all of it without this.
"use strict";

(() => {
  const MOMENT = /\b(\d{4}-\d\d-\d\d) (\d\d:\d\d)(:\d\d)? UTC\b/;
  const DIGEST = /^[0-9a-f]{64}$/;
  const COPIED_MS = 2000;

  // "2026-11-20 14:02 UTC" becomes a time element with the reader's own time beside it.
  function addLocalTime(root) {
    const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT, (node) =>
      MOMENT.test(node.data) && !node.parentElement.closest("time, pre, code, textarea, script, option, title")
        ? NodeFilter.FILTER_ACCEPT
        : NodeFilter.FILTER_REJECT,
    );
    const nodes = [];
    while (texts.nextNode()) {
      nodes.push(texts.currentNode);
    }
    for (const node of nodes) {
      for (let rest = node, match = MOMENT.exec(rest.data); match; match = MOMENT.exec(rest.data)) {
        const words = rest.splitText(match.index);
        rest = words.splitText(match[0].length);
        const moment = new Date(`${match[1]}T${match[2]}${match[3] ?? ""}Z`);
        if (Number.isNaN(moment.getTime()) || moment.getTimezoneOffset() === 0) {
          continue;
        }
        const time = document.createElement("time");
        time.dateTime = moment.toISOString();
        time.textContent = match[0];
        const local = document.createElement("small");
        const sameDay = moment.toLocaleDateString("sv") === match[1];
        const clock = moment.toLocaleTimeString("sv", { hour: "2-digit", minute: "2-digit" });
        local.textContent = ` (${sameDay ? "" : `${moment.toLocaleDateString("sv")} `}${clock} your time)`;
        words.replaceWith(time, local);
      }
    }
  }

  function addCopyButton(source, place) {
    if (source.dataset.copies) {
      return;
    }
    source.dataset.copies = "yes";
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.setAttribute("aria-label", `Copy ${source.dataset.copy || "this text"}`);
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(source.textContent.trim());
        button.textContent = "Copied";
      } catch {
        button.textContent = "Not copied";
      }
      setTimeout(() => (button.textContent = "Copy"), COPIED_MS);
    });
    place.after(" ", button);
  }

  // The button of a block of code lies in its corner and moves nothing.
  function boxCode(code) {
    if (!code.parentElement.matches(".code")) {
      const box = document.createElement("div");
      box.className = "code";
      code.replaceWith(box);
      box.append(code);
    }
  }

  function addCopyButtons(root) {
    if (!navigator.clipboard) {
      return;
    }
    root.querySelectorAll("pre").forEach(boxCode);
    root.querySelectorAll("pre, [data-copy]").forEach((source) => addCopyButton(source, source));
    for (const code of root.querySelectorAll("main code, main .mono, main dd")) {
      if (!code.children.length && DIGEST.test(code.textContent.trim())) {
        addCopyButton(code, code.matches("td, dd") ? code.appendChild(document.createElement("span")) : code);
      }
    }
  }

  const enhance = (root) => {
    addLocalTime(root);
    addCopyButtons(root);
  };
  enhance(document.querySelector("main"));
  document.addEventListener("htmx:afterSettle", () => enhance(document.querySelector("main")));

  document.querySelector(".foot select[name=theme]")?.addEventListener("change", (event) => {
    const theme = event.target.value;
    document.documentElement.toggleAttribute("data-theme", theme !== "");
    if (theme) {
      document.documentElement.dataset.theme = theme;
    }
    fetch("/preferences/", { method: "POST", body: new FormData(event.target.form), redirect: "manual" }).catch(() => {});
  });
})();
