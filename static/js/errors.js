// Puts the focus on the first field with an error, or on the message when no field has one.
"use strict";

function focusError() {
  const field = document.querySelector('main [aria-invalid="true"]') || document.querySelector("main .note[role=alert]");
  field?.focus();
}

if (!document.querySelector("main [autofocus]")) {
  focusError();
}
document.addEventListener("htmx:afterSettle", (event) => {
  if (event.target.id === "main" && event.detail.requestConfig?.verb === "post") {
    focusError();
  }
});
