"""python3 -m warploom FILE [PATTERN]: what a file has."""
from __future__ import annotations

import sys

import warploom


def _tame(text: str) -> str:  # a terminal obeys what a file says
    return "".join(c if c.isprintable() else "?" for c in text)


def main(argv: list[str]) -> int:
    if len(argv) < 2:
        print(warploom.__doc__)
        return 2
    run = warploom.open(argv[1])
    if isinstance(run, warploom.Sweep):
        print(run.dataframe().to_string())
        return 0
    print(_tame(f"{run.path}: {run.workload} on {run.machine}, {run.status}"))
    for name in run.names(argv[2] if len(argv) > 2 else "**"):
        s = run[name]
        print(_tame(f"{name:48} {s.total():>16.10g} {s.unit:10} {s.doc}"))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
