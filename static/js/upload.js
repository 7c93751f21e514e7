// The field for the archive: dropping a file on it, its size and type, and how much has gone.
// Without this file the browser's own field and progress are all there is; the registry checks the same again.
"use strict";

const ARCHIVES = [".tar", ".tar.gz", ".tgz", ".zip"];

/** Why the registry would refuse a file; empty where it would not. */
function refusal(file, limit) {
  const name = file.name.toLowerCase();
  if (!ARCHIVES.some((ending) => name.endsWith(ending))) {
    return `${file.name} is no archive. Choose a file that ends with ${ARCHIVES.join(", ")}.`;
  }
  if (file.size === 0) {
    return `${file.name} is empty.`;
  }
  if (limit && file.size > limit) {
    const size = Math.ceil(file.size / 2 ** 20);
    return `${file.name} has ${size} MiB; at most ${Math.floor(limit / 2 ** 20)} MiB can be uploaded.`;
  }
  return "";
}

function checkField(field) {
  const place = document.getElementById("file-error");
  const why = field.files.length ? refusal(field.files[0], Number(field.dataset.limit)) : "";
  field.setCustomValidity(why);
  field.toggleAttribute("aria-invalid", Boolean(why));
  if (place) {
    place.textContent = why;
    place.hidden = !why;
  }
}

document.addEventListener("change", (event) => {
  if (event.target.id === "id_bundle") {
    checkField(event.target);
  }
});

for (const kind of ["dragover", "drop"]) {
  document.addEventListener(kind, (event) => {
    const field = event.target.closest?.(".drop")?.querySelector("input[type=file]");
    if (!field || !event.dataTransfer?.types.includes("Files")) {
      return;
    }
    event.preventDefault();
    if (kind === "drop" && event.dataTransfer.files.length) {
      field.files = event.dataTransfer.files;
      checkField(field);
    }
  });
}

document.addEventListener("htmx:xhr:progress", (event) => {
  const bar = event.target.querySelector("progress");
  if (!bar || !event.detail.lengthComputable) {
    return;
  }
  bar.hidden = false;
  bar.max = event.detail.total;
  bar.value = event.detail.loaded;
  const share = Math.floor((100 * event.detail.loaded) / event.detail.total);
  const words = share < 100 ? `${share - (share % 5)} % sent` : "Sent; the registry is reading it";
  const status = event.target.querySelector("[role=status]");
  if (status.textContent !== words) {
    status.textContent = words;
  }
});
