"""What measures l05 is measured itself, with a clock that does what it is told."""

import csv
import math
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from tests import bench


@pytest.fixture
def takes(monkeypatch):
    """Make functions that take as long as they are told, on a clock that stands still otherwise."""
    now = 0.0
    monkeypatch.setattr(bench, "time", SimpleNamespace(process_time=lambda: now))

    def takes(*durations):
        def function(*_):
            nonlocal now
            function.calls += 1
            now += durations[min(function.calls, len(durations)) - 1]

        function.calls = 0
        return function

    return takes


def case(*found, goal=1.0, gate=2.0):
    return bench.Case("`f`, n = 1", "NumPy", goal, gate, iter(found).__next__)


def test_a_ratio_says_how_many_times_as_long_we_take(takes):
    assert bench.ratio(takes(0.06), takes(0.02)) == pytest.approx(3)


def test_a_round_in_which_the_machine_was_busy_does_not_count(takes):
    assert bench.ratio(takes(0.3, 0.06, 0.6, 0.06), takes(0.02)) == pytest.approx(3)


def test_a_machine_that_slows_down_does_so_for_both():
    calls = iter(range(1000))
    ours, theirs = lambda: 6 * (1 + next(calls)), lambda: 2 * (1 + next(calls))
    assert bench.in_turn(ours, theirs) == pytest.approx(3)


def test_what_takes_no_time_is_repeated_until_the_clock_can_tell(takes):
    ours, theirs = takes(0.001), takes(0.001)
    bench.ratio(ours, theirs)
    assert ours.calls >= 2 * bench.LEAST_ROUNDS * bench.SHORTEST / 0.001


def test_what_takes_long_is_measured_three_times(takes):
    ours, theirs = takes(10), takes(20)
    assert bench.ratio(ours, theirs) == pytest.approx(0.5)
    assert (ours.calls, theirs.calls) == (1 + 2 * bench.LEAST_ROUNDS, 3 + 2 * bench.LEAST_ROUNDS)


def test_an_import_is_measured_in_an_interpreter_of_its_own():
    assert 0 < bench.importing("fractions") < 60


def test_the_workspace_is_the_height_of_memory_beyond_the_result():
    def function(n):
        return np.sum(np.ones((3, n)), axis=0)

    assert bench.workspace(function, 10**6) == pytest.approx(3 * 8, rel=0.01)


@pytest.mark.parametrize("power", [0, 1, 2])
def test_a_power_is_found_by_its_growth(power):
    assert bench.exponent(lambda function, Q, K, V: 7.0 * len(Q) ** power, None) == pytest.approx(power)


def test_the_best_of_three_tries_counts():
    assert bench.best(case(3.0, 1.5, 2.5, 0.1)) == 1.5


def test_a_try_that_reaches_the_goal_is_the_last():
    assert bench.best(case(0.9, 0.1)) == 0.9


def test_a_missed_goal_is_reported_and_no_failure(capsys):
    assert bench.measured([case(1.5, 1.5, 1.5)]) == ([["`f`, n = 1", "NumPy", "1.50", "1", "2"]], [])
    assert "above the goal" in capsys.readouterr().out


@pytest.mark.parametrize("found", [2.1, math.inf])
def test_what_stays_above_its_gate_fails_the_run(found, tmp_path):
    with pytest.raises(SystemExit, match="above the gate: `f`, n = 1 / NumPy"):
        bench.report([case(0.5), case(found, found, found)], tmp_path)
    assert len((tmp_path / "speed.csv").read_text("utf-8").splitlines()) == 2


def test_the_tables_are_written_where_one_says(tmp_path):
    bench.report([case(0.5), case(1.5, 1.5, 1.5)], tmp_path)
    table, machine = (
        list(csv.reader((tmp_path / name).read_text("utf-8").splitlines())) for name in ("speed.csv", "machine.csv")
    )
    assert table == [["`f`, n = 1", "NumPy", found, "1", "2"] for found in ("0.50", "1.50")]
    assert ["NumPy", np.__version__] in machine


def test_the_book_shows_today_s_goals_and_gates():
    groups = bench.beside_numpy, bench.beside_scipy, bench.memory, bench.growth
    expected = [[case.what, case.beside, f"{case.goal:g}", f"{case.gate:g}"] for group in groups for case in group()]
    table = Path(bench.__file__).parents[1] / "docs/_outputs/speed.csv"
    rows = csv.reader(table.read_text("utf-8").splitlines())
    assert [[what, beside, goal, gate] for what, beside, _, goal, gate in rows][: len(expected)] == expected


def test_nothing_is_measured_on_several_threads(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    with pytest.raises(SystemExit, match="set OMP_NUM_THREADS"):
        bench.main()
