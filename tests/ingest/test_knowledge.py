"""The graph of a checkout: what files define and import, and which files that means."""

from __future__ import annotations

import pytest

from rankmeld.ingest import CheckoutGraph, discover, graph_of, read_documents
from rankmeld.ingest.references import references_of


@pytest.mark.parametrize(
    ("language", "text", "defines", "imports"),
    [
        (
            "python",
            (
                "import os, json as j\nfrom . import near\n"
                "from ..up.one import (\n    Two,\n    three as t,  # why\n)\n"
                "from x import *\nclass Merge:\n    def inner(self): ...\n"
                "async def fuse_all(): ...\ndef _own(): ...\n"
                "def main(): ...\n"
            ),
            ["Merge", "fuse_all"],
            ["os", "json", ".", ".near", "..up.one", "..up.one.Two", "..up.one.three", "x"],
        ),
        (
            "rust",
            (
                "use crate::order::Order;\nmod ranks;\n"
                "pub(crate) fn fuse_all() {}\npub struct Merge;\n    fn inner() {}\n"
            ),
            ["fuse_all", "Merge"],
            ["order::Order", "ranks"],
        ),
        (
            "typescript",
            (
                "import { a } from './near';\nimport x from \"../up\";\nconst y = require('lib');\n"
                "export default class Merge {}\nexport interface Shape {}\n"
            ),
            ["Merge", "Shape"],
            ["./near", "../up", "lib"],
        ),
        (
            "go",
            'import "fmt"\nimport (\n\t"a/b/near"\n)\nfunc (m *M) Fuse() {}\ntype Merge struct{}\n',
            ["Fuse", "Merge"],
            ["fmt", "a/b/near"],
        ),
        ("java", "import a.b.Near;\npublic final class Merge {}\n", ["Merge"], ["a.b.Near"]),
        ("c++", '#include "near.h"\n#include <vector>\nclass Merge {};\n', ["Merge"], ["near.h", "vector"]),
        ("markdown", "See [near](near.md#part) and [out](https://x.y/z).\n", [], ["near.md"]),
        ("text", "import x\n", [], []),
    ],
)
def test_what_a_file_says(language, text, defines, imports):
    assert references_of(text, language) == (defines, imports)


@pytest.fixture
def checkout(tmp_path):
    files = {
        "pkg/__init__.py": "from pkg.order import Order\n",
        "pkg/order.py": "class Order:\n    pass\n\n\ndef helper():\n    pass\n",
        "pkg/sub/__init__.py": "",
        "pkg/sub/merge.py": "from ..order import Order\nfrom . import near\nimport numpy\n\n\n"
        "def merge_all(x):\n    return Order\n",
        "pkg/sub/near.py": "def near_one():\n    pass\n",
        "web/app.ts": "import { near } from './near';\n",
        "web/near.ts": "export const nearby = 1;\n",
        "core/src/lib.rs": "mod order;\nuse crate::order::Rank;\n",
        "core/src/order.rs": "pub struct Rank;\n",
        "docs/guide.md": "# Guide\n\nSee [the merge](../pkg/sub/merge.py) of Order.\n",
        "data.csv": "id,text\n1,x\n",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


def test_imports_lead_to_the_files_they_mean(checkout):
    graph = graph_of([checkout])
    files = {node for node, kind in graph.nodes.items() if kind == "concept" and "/" in node}
    imports = {(source, target) for source, target, _ in graph.edges if {source, target} <= files}
    assert imports == {
        ("pkg/__init__.py", "pkg/order.py"),
        ("pkg/sub/merge.py", "pkg/order.py"),
        ("pkg/sub/merge.py", "pkg/sub/near.py"),
        ("pkg/sub/merge.py", "pkg/sub/__init__.py"),
        ("web/app.ts", "web/near.ts"),
        ("core/src/lib.rs", "core/src/order.rs"),
        ("docs/guide.md", "pkg/sub/merge.py"),
    }
    assert graph.files == 10
    assert "data.csv" not in graph.nodes


def test_symbols_and_modules_are_linked_to_their_files(checkout):
    edges = set(graph_of([checkout]).edges)
    assert {
        ("pkg/order.py", "Order", 1.0),
        ("pkg.order", "pkg/order.py", 1.0),
        ("pkg", "pkg/__init__.py", 1.0),
        ("web/near.ts", "nearby", 1.0),
    } <= edges


def test_passages_are_those_of_the_index(checkout):
    graph = graph_of([checkout])
    indexed = {
        document.id
        for source in discover([checkout])
        if source.kind != "csv"
        for document in read_documents(source)
    }
    assert {node for node, kind in graph.nodes.items() if kind == "passage"} == indexed
    passage = f"{(checkout / 'pkg/order.py').as_posix()}#1"
    assert {(passage, "pkg/order.py", 1.0), (passage, "Order", 1.0)} <= set(graph.edges)


def test_a_name_that_many_files_define_is_no_name_of_one_thing(tmp_path):
    for number in range(5):
        (tmp_path / f"m{number}.py").write_text(
            "def shared():\n    pass\n\n\ndef own{}():\n    pass\n".replace("{}", str(number))
        )
    graph = graph_of([tmp_path])
    assert "shared" not in graph.nodes
    assert "own3" in graph.nodes
    assert graph.symbols == 5


def test_nothing_there_is_an_empty_graph(tmp_path):
    assert graph_of([tmp_path]) == CheckoutGraph()


def test_files_of_several_folders_stay_apart(tmp_path):
    for folder in ("old", "new"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "README.md").write_text("[how](how.md)\n")
        (tmp_path / folder / "how.md").write_text("# How\n")
    (tmp_path / "new" / "why.md").write_text("# Why\n")
    graph = graph_of([tmp_path / "old", tmp_path / "new"])
    files = {node for node, kind in graph.nodes.items() if kind == "concept"}
    assert files == {"old/README.md", "old/how.md", "new/README.md", "new/how.md", "why.md"}
    assert {("old/README.md", "old/how.md", 1.0), ("new/README.md", "new/how.md", 1.0)} <= set(graph.edges)
    assert ("old/README.md", "new/how.md", 1.0) not in graph.edges
