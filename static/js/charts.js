// Draws a figure from its Vega-Lite specification when the reader presses its button. Only then are Vega's 832 kB
// loaded. Without this file there is no button; the table has all numbers. The interpreter (ast) and our own tooltip style keep to the strict Content-Security-Policy; colours are
// custom properties, so a change of theme needs no redraw.
"use strict";

const config = {
  background: null,
  font: 'Inter, system-ui, "Segoe UI", Roboto, sans-serif',
  view: { stroke: null },
  range: { category: ["var(--s1)", "var(--s2)", "var(--s3)", "var(--s4)"] },
  text: { color: "var(--ink)" },
  axis: {
    gridColor: "var(--rule)",
    domainColor: "var(--edge)",
    tickColor: "var(--edge)",
    labelColor: "var(--soft)",
    titleColor: "var(--soft)",
    labelFontSize: 12,
    titleFontSize: 12,
    titleFontWeight: "normal",
  },
  legend: { labelColor: "var(--soft)", titleColor: "var(--soft)", labelFontSize: 12, titleFontWeight: "normal" },
};

const options = {
  actions: false,
  ast: true,
  config,
  defaultStyle: false,
  renderer: "svg",
  tooltip: { disableDefaultStyle: true },
};

const addresses = document.currentScript.dataset;
let loading;

function loadScript(address) {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = address;
    script.onload = resolve;
    script.onerror = () => {
      script.remove();
      reject(new Error(`${address} was not loaded`));
    };
    document.head.append(script);
  });
}

async function loadVega() {
  for (const address of [addresses.vega, addresses.vegaLite, addresses.vegaEmbed]) {
    await loadScript(address);
  }
}

// The specification stands on the page under an id, or is the `chart` of an answer of the API.
async function loadSpecification(chart) {
  const element = document.getElementById(chart);
  if (element) {
    return JSON.parse(element.textContent);
  }
  const response = await fetch(chart, { headers: { Accept: "application/json" } });
  if (!response.ok) {
    throw new Error(`${chart} was not loaded`);
  }
  return (await response.json()).chart;
}

async function drawFigure(figure, button) {
  const target = figure.querySelector(".vega");
  button.disabled = true;
  try {
    loading ??= loadVega();
    const [spec] = await Promise.all([loadSpecification(figure.dataset.chart), loading]);
    const chart = await window.vegaEmbed(target, spec, options);
    target.querySelector("svg").setAttribute("aria-label", spec.description);
    window.addEventListener("pagehide", () => chart.finalize(), { once: true });
    button.hidden = true;
  } catch {
    loading = undefined;
    button.disabled = false;
    button.textContent = "The chart was not loaded. Try again";
  }
}

for (const figure of document.querySelectorAll("figure[data-chart]")) {
  const button = figure.querySelector("button");
  figure.hidden = false;
  button.hidden = false;
  button.addEventListener("click", () => drawFigure(figure, button));
}
