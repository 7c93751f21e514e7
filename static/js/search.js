// "/" leads to the search field, wherever nobody is typing.
"use strict";

document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, select, [contenteditable]");
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || typing) {
    return;
  }
  const field = document.getElementById("words") || document.getElementById("q");
  if (field) {
    event.preventDefault();
    field.focus();
    field.select();
  }
});
