"""Figures of the cells: vector, and the same bytes on every build. IPython defines `c`."""

c.InlineBackend.figure_formats = {"svg"}
c.InlineBackend.print_figure_kwargs = {"bbox_inches": "tight", "metadata": {"Date": None}}
c.InlineBackend.rc = {}  # the matplotlibrc decides alone
c.IPKernelApp.log_level = "ERROR"  # else each start warns that a kernel on this machine is not encrypted
