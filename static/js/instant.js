// Applies filters at once: the page of the new address is fetched, and its part takes the place of the old one.
// Without this file the buttons of the forms do the same.
"use strict";

(() => {
  const TYPING_MS = 400;
  const WIDE = "(min-width: 62rem)";
  const TYPED = ["search", "number", "text"];
  let running = null;
  let timer = 0;

  // The address of a form, without empty fields and without what is so anyway.
  function addressOf(form, changed) {
    const query = new URLSearchParams();
    const resets = (changed?.dataset?.resets ?? "").split(" ");
    for (const field of form.elements) {
      const isOff = ["checkbox", "radio"].includes(field.type) && !field.checked;
      if (!field.name || field.disabled || field.type === "submit" || isOff || resets.includes(field.name)) {
        continue;
      }
      const value = field.value.trim();
      if (value && value !== field.dataset.default) {
        query.append(field.name, value);
      }
    }
    return `${location.pathname}${query.size ? "?" : ""}${query}`;
  }

  function placeOf(element) {
    if (element?.name) {
      return { name: element.name, value: TYPED.includes(element.type) || element.options ? null : element.value,
               typed: TYPED.includes(element.type) ? element.value : null, at: element.selectionStart };
    }
    return element?.matches?.("a[href]") ? { words: element.textContent.trim() } : null;
  }

  function focusAgain(region, place) {
    if (!place) {
      return;
    }
    const found = place.words
      ? [...region.querySelectorAll("a[href]")].find((link) => link.textContent.trim() === place.words)
      : [...region.querySelectorAll(`[name="${CSS.escape(place.name)}"]`)].find(
          (field) => field.type !== "hidden" && (place.value === null || field.value === place.value));
    if (!found) {
      return;
    }
    if (place.typed !== null && place.typed !== undefined && found.value !== place.typed) {
      found.value = place.typed;
    }
    found.focus({ preventScroll: true });
    if (place.at !== null && place.at !== undefined && found.type !== "number") {
      found.setSelectionRange(place.at, place.at);
    }
  }

  // Filters that styles show open on wide screens become a part that folds like any other, open at first as it was.
  // A page whose filters have an error comes with them open.
  function ownFilters(region, isOpen = matchMedia(WIDE).matches) {
    const filters = region.querySelector(".more");
    if (filters) {
      filters.open ||= isOpen;
      filters.dataset.own = "";
    }
  }

  async function show(address, selector, { isBack = false } = {}) {
    running?.abort();
    running = new AbortController();
    const { signal } = running;
    document.querySelector(selector)?.setAttribute("aria-busy", "true");
    let page;
    try {
      const response = await fetch(address, { signal });
      page = new DOMParser().parseFromString(await response.text(), "text/html");
      if (response.redirected) {
        const reached = new URL(response.url);
        address = reached.pathname + reached.search;
      }
    } catch (error) {
      if (error.name !== "AbortError") {
        location.assign(address);
      }
      return;
    }
    const [current, next] = [document.querySelector(selector), page.querySelector(selector)];
    if (!current || !next) {
      location.assign(address);
      return;
    }
    const place = current.contains(document.activeElement) ? placeOf(document.activeElement) : null;
    const open = [...current.querySelectorAll("details")].map((details) => details.open);
    const fresh = document.adoptNode(next);
    if (fresh.querySelectorAll("details").length === open.length) {
      fresh.querySelectorAll("details").forEach((details, index) => (details.open = details.open || open[index]));
    }
    ownFilters(fresh, current.querySelector(".more")?.open);
    current.replaceWith(fresh);
    document.title = page.title;
    if (!isBack) {
      history.pushState({ instant: selector }, "", address);
    }
    focusAgain(fresh, place);
    const said = document.getElementById("view-said");
    if (said) {
      said.textContent = fresh.dataset.said ?? "";
    }
    document.dispatchEvent(new CustomEvent("instant:shown"));
  }

  const formOf = (element) => element.form?.matches?.("form[data-instant]") ? element.form : null;
  const apply = (form, changed) => show(addressOf(form, changed), form.dataset.instant);

  document.addEventListener("change", (event) => {
    const form = formOf(event.target);
    if (form) {
      clearTimeout(timer);
      apply(form, event.target);
    }
  });
  document.addEventListener("input", (event) => {
    const form = formOf(event.target);
    if (form && TYPED.includes(event.target.type)) {
      clearTimeout(timer);
      timer = setTimeout(() => apply(form, event.target), TYPING_MS);
    }
  });
  document.addEventListener("submit", (event) => {
    const isOwn = event.target.matches("form[data-instant]") && !event.submitter?.hasAttribute("formaction");
    if (isOwn && event.target.method === "get") {
      event.preventDefault();
      clearTimeout(timer);
      apply(event.target, event.submitter);
    }
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.('a[href^="?"]');
    const form = document.querySelector("form[data-instant]");
    const isPlain = !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || event.button);
    if (link && form && isPlain && link.closest(form.dataset.instant)) {
      event.preventDefault();
      show(location.pathname + link.getAttribute("href"), form.dataset.instant);
    }
  });
  ownFilters(document);
  window.addEventListener("popstate", () => {
    const form = document.querySelector("form[data-instant]");
    if (form) {
      show(location.href, form.dataset.instant, { isBack: true });
    }
  });
})();
