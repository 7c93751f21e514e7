// Draws each figure that names a Vega-Lite specification. Without this file the figure stays hidden: its table has all
// numbers. The interpreter (ast) and our own tooltip style keep to the strict Content-Security-Policy; colours are
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

for (const figure of document.querySelectorAll("figure[data-chart]")) {
  const spec = JSON.parse(document.getElementById(figure.dataset.chart).textContent);
  const target = figure.querySelector(".vega");
  figure.hidden = false;
  window.vegaEmbed(target, spec, options).then((chart) => {
    const drawing = target.querySelector("svg");
    drawing.setAttribute("aria-label", spec.description);
    window.addEventListener("pagehide", () => chart.finalize(), { once: true });
  });
}
