// Saves a questionnaire a moment after each change. Without this file the button does the same.
"use strict";

for (const form of document.querySelectorAll("form[data-autosave]")) {
  const WAIT_MS = 1500;
  const AGAIN_MS = 10000;
  const status = form.querySelector("[data-saved]");
  let timer = 0;
  let unsaved = false;
  let sending = false;
  let stopped = false;

  const say = (words, isWrong = false) => {
    status.textContent = words;
    status.classList.toggle("no", isWrong);
  };

  const later = (wait) => {
    clearTimeout(timer);
    timer = setTimeout(save, wait);
  };

  function markErrors(errors) {
    for (const field of form.querySelectorAll("[aria-invalid]")) {
      field.removeAttribute("aria-invalid");
    }
    for (const name of Object.keys(errors ?? {})) {
      form.elements[name]?.setAttribute?.("aria-invalid", "true");
    }
  }

  async function refused(response) {
    const problem = await response.json();
    markErrors(problem.errors);
    const first = Object.values(problem.errors ?? {}).flat()[0];
    if (problem.code === "edit.answers-changed") {
      stopped = true;
      say("Not saved: another tab or person changed the answers. Your text stays here. Press Save answers to see both.", true);
    } else {
      say(`Not saved: ${first ?? problem.detail} ${problem.hint}`, true);
    }
  }

  async function save() {
    if (stopped) {
      return;
    }
    if (sending) {
      later(WAIT_MS);
      return;
    }
    sending = true;
    unsaved = false;
    say("Saving…");
    try {
      const response = await fetch(form.action, {
        method: "POST",
        body: new FormData(form),
        headers: { Accept: "application/json" },
        redirect: "manual",
      });
      if (response.ok) {
        const answer = await response.json();
        form.elements.base.value = answer.base;
        markErrors({});
        const time = new Date(answer.saved_at).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
        say(unsaved ? "Saving…" : `Saved ${time}`);
      } else if (response.headers.get("Content-Type")?.startsWith("application/json")) {
        unsaved = true;
        await refused(response);
      } else {
        unsaved = true;
        say("Not saved: you are signed out, or the registry is away. Your text stays here. Sign in in another tab.", true);
        later(AGAIN_MS);
      }
    } catch {
      unsaved = true;
      say("Not saved: no connection. Your text stays here and is sent again.", true);
      later(AGAIN_MS);
    } finally {
      sending = false;
    }
  }

  form.addEventListener("input", () => {
    unsaved = true;
    if (!stopped) {
      say("Not saved yet");
      later(WAIT_MS);
    }
  });
  form.addEventListener("submit", () => {
    clearTimeout(timer);
    stopped = true;
    unsaved = false;
  });
  addEventListener("online", () => unsaved && later(0));
  addEventListener("beforeunload", (event) => unsaved && event.preventDefault());
}
