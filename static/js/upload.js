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

// How gzip, zip, bzip2, xz and zstd begin. A tar has its sign behind its first names.
const BEGINNINGS = ["\x1f\x8b", "PK", "BZh", "\xfd7zXZ", "\x28\xb5\x2f\xfd"];
const TAR = { sign: "ustar", at: 257 };
const PACKED = [".tar.gz", ".tgz", ".zip"];

async function isArchive(file) {
  const head = String.fromCharCode(...new Uint8Array(await file.slice(0, TAR.at + TAR.sign.length).arrayBuffer()));
  return head.startsWith(TAR.sign, TAR.at) || BEGINNINGS.some((beginning) => head.startsWith(beginning));
}

function showError(field, error, note) {
  field.setCustomValidity(error);
  field.toggleAttribute("aria-invalid", false);
  if (error) {
    field.setAttribute("aria-invalid", "true");
  }
  showNote(error || note);
}

function showNote(text) {
  document.getElementById("bundle-error").textContent = text;
}

// Checks size, ending and beginning of the file before it is sent. The server checks all again.
async function checkFile(field) {
  const [file] = field.files;
  const limit = Number(field.form.dataset.limit);
  const endings = field.accept.split(",");
  let error = "";
  if (file && file.size > limit) {
    error = `This file has ${Math.ceil(file.size / 2 ** 20)} MiB. Choose one of at most ${limit / 2 ** 20} MiB.`;
  } else if (file && file.size === 0) {
    error = "This file is empty. Choose another one.";
  }
  const unusual = file && !endings.some((ending) => file.name.toLowerCase().endsWith(ending));
  const note = unusual ? `The name does not end in ${endings.join(", ")}. Is it one output file?` : "";
  showError(field, error, note);
  const ending = file && PACKED.find((end) => file.name.toLowerCase().endsWith(end));
  if (!error && ending && !(await isArchive(file).catch(() => true)) && field.files[0] === file) {
    showError(field, `The name ends in ${ending}, but the content is no archive. Pack the folder again.`, "");
  }
}

document.addEventListener("change", (event) => {
  if (event.target.id === "id_bundle") {
    checkFile(event.target);
  }
});

// A file may be dropped anywhere on the page: beside the box the browser would leave the page and open the file.
const dropBox = () => document.querySelector(".drop");
const markBox = (isOver) => dropBox()?.classList.toggle("over", isOver);

document.addEventListener("dragover", (event) => {
  if (dropBox() && event.dataTransfer.types.includes("Files")) {
    event.preventDefault();
    markBox(true);
  }
});
document.addEventListener("dragleave", (event) => {
  if (!event.relatedTarget) {
    markBox(false);
  }
});
document.addEventListener("drop", (event) => {
  markBox(false);
  const field = dropBox()?.querySelector("[type=file]");
  const { files, items } = event.dataTransfer;
  if (!field || !files.length) {
    return;
  }
  event.preventDefault();
  if (files.length > 1) {
    showNote("Drop one file: the archive of the whole folder.");
  } else if (items[0].webkitGetAsEntry()?.isDirectory) {
    showNote("This is a folder. Pack it into one archive and drop that.");
  } else {
    field.files = files;
    checkFile(field);
  }
});
