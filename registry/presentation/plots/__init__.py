"""Charts of studies: the model, how it is laid out as SVG, and how it is written as Vega-Lite."""
