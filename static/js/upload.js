// Shows how much of an upload has gone. Without this file the browser's own progress is all there is.
"use strict";

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

// Checks size and ending of the file before it is sent. The server checks both again.
function checkFile(field) {
  const [file] = field.files;
  const limit = Number(field.form.dataset.limit);
  const endings = field.accept.split(",");
  let error = "";
  if (file && file.size > limit) {
    error = `This file has ${Math.ceil(file.size / 2 ** 20)} MiB. Choose one of at most ${limit / 2 ** 20} MiB.`;
  } else if (file && file.size === 0) {
    error = "This file is empty. Choose another one.";
  }
  field.setCustomValidity(error);
  field.toggleAttribute("aria-invalid", false);
  if (error) {
    field.setAttribute("aria-invalid", "true");
  }
  const unusual = file && !endings.some((ending) => file.name.toLowerCase().endsWith(ending));
  const note = unusual ? `The name does not end in ${endings.join(", ")}. Is it an archive?` : "";
  document.getElementById("bundle-error").textContent = error || note;
}

document.addEventListener("change", (event) => {
  if (event.target.id === "id_bundle") {
    checkFile(event.target);
  }
});
document.addEventListener("dragover", (event) => {
  if (event.target.closest(".drop")) {
    event.preventDefault();
  }
});
document.addEventListener("drop", (event) => {
  const field = event.target.closest(".drop")?.querySelector("[type=file]");
  if (field && event.dataTransfer.files.length) {
    event.preventDefault();
    field.files = event.dataTransfer.files;
    checkFile(field);
  }
});
