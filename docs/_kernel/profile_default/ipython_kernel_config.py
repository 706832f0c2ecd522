"""Figures of the cells: vector, and the same bytes on every build; output in one piece. IPython defines `c`."""

from ipykernel.iostream import OutStream

c.InlineBackend.figure_formats = {"svg"}
c.InlineBackend.print_figure_kwargs = {"bbox_inches": "tight", "metadata": {"Date": None}}
c.InlineBackend.rc = {}  # the matplotlibrc decides alone
c.IPKernelApp.log_level = "ERROR"  # else each start warns that a kernel on this machine is not encrypted
OutStream.flush_interval = 600  # a cell's end sends all; sent by a timer, a line could be cut where a message ends
