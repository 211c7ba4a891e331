"""Makes a small garment from nothing with the command line, shows its progress, and wears it: for the cell of
a notebook.

    python3 train_from_a_notebook.py              # minutes; `./run build` has built what it needs
    python3 train_from_a_notebook.py --dry-run    # only says what it would do

The garment is coarse and learns from seconds of motion, to see the whole way once. Leave out SMALL for one
like the shipped ones, which takes a day.
"""

from __future__ import annotations

import argparse
import os
import pty
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Iterator

import billow

SMALL = ["--frames", "300", "--unseen", "60", "--vertices", "1500", "--train=--epochs=20"]


def find_billow() -> str:
    """The command line: of the variable BILLOW, on the path, or in the project's build folder."""
    built = Path(__file__).resolve().parents[2] / "build/release/bin/billow"
    found = os.environ.get("BILLOW") or shutil.which("billow") or (str(built) if built.exists() else None)
    if not found:
        sys.exit(
            "expected the program billow on the path, in the variable BILLOW or built by ./run; found none"
        )
    return found


def run(command: list[str]) -> Iterator[str]:
    """Lines of a program as it prints them. Billow shows progress on terminals only, so it gets one."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        rest = b""
        while True:
            try:
                more = os.read(ours, 4096)
            except OSError:  # how Linux says that the other end is closed
                more = b""
            *lines, rest = re.split(rb"[\r\n]+", rest + more) if more else [rest, b""]
            yield from (line.decode(errors="replace").rstrip() for line in lines if line.strip())
            if not more:
                break
        os.close(ours)
    if process.returncode != 0:
        sys.exit(f"{' '.join(command)}: ended with {process.returncode}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("garment", nargs="?", choices=["cape", "skirt"], default="skirt")
    parser.add_argument("-o", "--out", type=Path, default=Path("data/from_a_notebook"))
    parser.add_argument("--dry-run", action="store_true", help="only print the commands")
    o = parser.parse_args()

    dry_run = ["--dry-run"] if o.dry_run else []
    for line in run([find_billow(), "make", o.garment, "-o", str(o.out), *SMALL, *dry_run]):
        # In a notebook one line that changes would do: IPython.display.clear_output(wait=True).
        print(line, flush=True)
    if o.dry_run:
        return

    garment = billow.Garment.load(o.out / f"{o.garment}.billow")
    worn = billow.Instance(garment)
    worn.settle(2, garment.joint_rest)
    strain = billow.Strain(garment)(worn.positions)
    print(f"{garment}: {100 * abs(strain).mean():.1f} % strain at rest")
    print("its training report has", ", ".join(garment.training))


if __name__ == "__main__":
    main()
