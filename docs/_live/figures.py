"""Matplotlib's backend for a page: `plt.show()` puts the figures below the cell."""

from matplotlib.backends.backend_agg import FigureCanvasAgg as FigureCanvas
from runner import show_figures

__all__ = ["FigureCanvas", "show"]


def show(*, block=None):
    show_figures()
