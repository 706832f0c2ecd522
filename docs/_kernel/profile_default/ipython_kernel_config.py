"""Figures of the cells: vector, and the same bytes on every build."""

c.InlineBackend.figure_formats = {"svg"}  # noqa: F821  IPython defines c
c.InlineBackend.print_figure_kwargs = {"bbox_inches": "tight", "metadata": {"Date": None}}  # noqa: F821
c.InlineBackend.rc = {}  # noqa: F821  the matplotlibrc beside this file decides alone
