"""A small graph of people in files, and the program called on it: for tests of the command line."""

from __future__ import annotations

import sys
from typing import Any

from typer.testing import CliRunner

from fastge.cli import app

PROGRAM = (sys.executable, "-c", "from fastge.cli import main; main()")
TWO_TRIANGLES = """# friends
person,friend,weight
Ann,Bob,1
Bob,"Cid, the elder",2
"Cid, the elder",Ann,1
Dan,Eve,1
Eve,Fay,1.5
Fay,Dan,1
Ann,Dan,0.1
"""
TEAMS = "node,label\nAnn,red\nEve,blue\n"


FILES = {
    "people.csv": TWO_TRIANGLES,
    "teams.csv": TEAMS,
    "apart.csv": "Ann,Dan,0.5\n",
    "together.csv": "Dan,Eve\n",
    "bad.csv": TWO_TRIANGLES.replace("1.5", "abc"),
    "empty.csv": "",
}


def fastge_cluster(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["cluster", *arguments], prog_name="fastge")
