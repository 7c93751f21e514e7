"""Charts: where things are (`scales`), and what is written of them as SVG and as Vega-Lite."""
