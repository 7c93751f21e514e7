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
