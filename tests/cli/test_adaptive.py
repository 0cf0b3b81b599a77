"""``search --mode`` and ``graph``: tier, grade and trace, over real files and a real store."""

from __future__ import annotations

import json
import os
import subprocess

import pytest

from .conftest import COMMAND

pytest.importorskip("rich", reason="rich is not installed (extra cli)")

CHECKOUT = {
    "src/retry.py": 'class RetryPolicy:\n    """Doubles the wait after each failure."""\n',
    "src/queue_worker.py": "from retry import RetryPolicy\n\n\ndef drain(jobs):\n    return RetryPolicy\n",
    "src/report.py": "from queue_worker import drain\n\n\ndef weekly():\n    return drain([])\n",
    "src/unrelated.py": "def paint(colour):\n    return colour\n",
    "src/design.md": "# Design\n\n## Failures\n\nA failed job waits as RetryPolicy says.\n",
}


@pytest.fixture
def checkout(rankmeld):
    """The command, with a small checkout indexed by words, and its graph."""
    for name, text in CHECKOUT.items():
        rankmeld.write(name, text)
    rankmeld.index("src")
    done = rankmeld("graph", "src", "-o", "graph.json")
    assert done.code == 0, done.err
    assert done.out.splitlines()[0] == "Found: 5 files, 2 imports, 4 symbols"
    return rankmeld


def found(done):
    assert done.code in (0, 1), done.err
    return json.loads(done.out)


def test_a_question_over_several_hops_is_answered_with_its_trace(checkout):
    answer = found(
        checkout.search("what breaks if RetryPolicy changes", "--graph", "graph.json", "--json", "--explain")
    )
    assert (answer["mode"], answer["tier"]) == ("multi-hop", "multi_hop_graph")
    assert (answer["grade"], answer["needs_refinement"]) == ("high", False)
    legs = {name: leg["status"] for name, leg in answer["trace"]["legs"].items()}
    assert legs == {"lexical": "ok", "vector": "skipped", "hyde": "skipped", "graph": "ok"}
    stages = [stage["name"] for stage in answer["trace"]["stages"]]
    assert stages == ["classify", "lexical", "graph", "recognition", "notes", "fusion", "crag"]
    sources = {hit["source"].rpartition("/")[2] for hit in answer["hits"]}
    assert {"retry.py", "queue_worker.py", "design.md"} <= sources
    assert "report.py" in sources  # it has no word of the question: it imports what imports it
    assert "unrelated.py" not in sources
    details = [
        stage["details"]
        for stage in answer["hits"][0]["explanation"]["stages"]
        if stage["name"] == "multi_hop"
    ]
    assert details[0]["graph"] > 0.0


def test_filters_hold_for_what_is_linked(checkout):
    options = ("--graph", "graph.json", "--json", "--filter", "type=markdown")
    answer = found(checkout.search("what breaks if RetryPolicy changes", *options))
    assert {hit["source"].rpartition("/")[2] for hit in answer["hits"]} == {"design.md"}


def test_people_see_tier_and_grade_and_with_explain_the_stages(checkout):
    done = checkout.search("why does RetryPolicy wait", "--graph", "graph.json", "--explain")
    lines = done.out.splitlines()
    assert lines[0].startswith("multi-hop search, confidence high (")
    assert any(line.strip().startswith("then multi hop: lexical rank 1, lexical score") for line in lines)
    assert any(line.startswith("graph        ok, ") for line in lines)
    assert "vector       skipped" in lines
    assert done.err == ""


@pytest.mark.parametrize("mode", ["auto", "direct", "semantic", "multi-hop", "global"])
def test_each_mode_answers(checkout, mode):
    done = checkout.search("RetryPolicy", "--mode", mode, "--explain", "--rerank", "bm25")
    expected = "direct" if mode == "auto" else mode
    assert done.code == 0, done.err
    assert done.out.startswith(f"{expected} search, confidence ")
    assert found(checkout.search("RetryPolicy", "--mode", mode, "--json"))["mode"] == expected


@pytest.mark.parametrize("mode", ["direct", "semantic", "multi-hop", "global"])
def test_the_first_results_do_not_depend_on_how_many_are_asked_for(rankmeld, mode):
    lines = [
        f"Wait{'s' * (i % 3)} number {i}: RetryPolicy {'waits ' * (i % 7)}after a failure." for i in range(40)
    ]
    rankmeld.write("many.md", "\n\n".join(f"# Part {i}\n\n{line}" for i, line in enumerate(lines)))
    rankmeld.index("many.md")
    asked = ("why does RetryPolicy wait after a failure", "--mode", mode, "--json", "--limit")
    many, few = (found(rankmeld.search(*asked, str(limit)))["hits"] for limit in (20, 3))
    assert len(many) == 20
    assert few == many[:3]


def test_without_a_mode_nothing_is_graded(checkout):
    assert "confidence" not in checkout.search("RetryPolicy").out
    assert not {"tier", "trace", "mode"} & set(found(checkout.search("RetryPolicy", "--json")))


def test_a_weak_answer_says_what_to_do(notes):
    notes.write("notes/many.jsonl", "\n".join(json.dumps({"text": f"word{n} reader"}) for n in range(40)))
    notes.index("notes")
    done = notes.search("reader", "--mode", "direct")
    assert done.code == 0
    assert done.out.startswith("direct search, confidence low (")
    assert (
        "the evidence is weak: do not build on it before asking again with other words, or --mode" in done.err
    )


def test_a_confidence_of_one_list_is_told_to_say_nothing(checkout):
    done = checkout.search("RetryPolicy", "--mode", "semantic")
    assert done.out.startswith("semantic search, confidence high (1.00)")
    assert done.err == "note: only the lexical list found anything, so the confidence says nothing\n"
    assert "says nothing" not in checkout.search("RetryPolicy", "--mode", "direct").err


def test_nothing_found_is_told_as_ever(notes):
    done = notes.search("zebra", "--mode", "semantic")
    assert (done.code, done.out) == (1, "")
    assert done.err == "note: nothing found for: zebra\n"


def test_the_vector_leg_takes_part(rankmeld, static):
    for name, text in CHECKOUT.items():
        rankmeld.write(name, text)
    rankmeld.index("src", embedder=static)
    answer = found(rankmeld.search("how long does a failed job wait", "--mode", "semantic", "--json"))
    assert answer["trace"]["legs"]["vector"]["status"] == "ok"
    assert answer["model"] is not None
    assert found(rankmeld.search("RetryPolicy", "--mode", "direct", "--json"))["model"] is None


def test_standard_output_may_be_closed(checkout):
    for form in ((), ("--json",)):
        words = [COMMAND, "search", "--db", "t.db", *form, "RetryPolicy"]
        done = subprocess.run(
            ["sh", "-c", 'exec "$@" >&-', "sh", *words],
            cwd=checkout.folder,
            capture_output=True,
            check=False,
            timeout=60,
        )
        assert (done.returncode, done.stderr) == (0, b"")


def test_exact_duplicates_are_dropped(notes):
    notes.write("notes/copy.md", "# Copy\n\nReaders never block the writer.\n")
    notes.index("notes")
    assert len(found(notes.search("readers", "--mode", "semantic", "--json"))["hits"]) == 1


FORMS = {
    "an object": '{"nodes": {"RetryPolicy": "concept", "drain": "concept"}, '
    '"edges": [["RetryPolicy", "drain", 2]]}',
    "a list of nodes": '{"nodes": ["RetryPolicy", "drain"],\n "edges": [["RetryPolicy", "drain"]]}',
    "lines": '{"node": "RetryPolicy"}\n\n{"node": "drain", "kind": "concept"}\n'
    '{"source": "RetryPolicy", "target": "drain", "weight": 2}\n',
}


@pytest.mark.parametrize("form", FORMS)
def test_a_graph_may_be_an_object_or_lines(checkout, form):
    checkout.write("own.json", FORMS[form])
    answer = found(checkout.search("why RetryPolicy", "--graph", "own.json", "--json"))
    assert answer["trace"]["legs"]["graph"]["status"] == "ok"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nonsense", "g.json: not JSON: "),
        ('{"nodes": []}', "g.json: a graph is one object with nodes and edges"),
        ('{"nodes": {"a": "thing"}, "edges": []}', "g.json: nodes['a'] is 'thing'; it must be"),
        ('{"nodes": [], "edges": ["ab"]}', "g.json: edges[0] must be (source, target)"),
        ('{"node": "a"}\n{"x": 1}\n', "g.json:2: neither a node nor an edge; each line is"),
        ('{"node": "a"}\n{"source"\n', "g.json:2: not JSON: "),
        ('{"nodes": [{"id": 1}], "edges": []}', 'g.json: nodes[0] is {"id": 1}; it must be an id'),
        ('{"nodes": [], "edges": [["a", "b", NaN]]}', "g.json: edges[0] ('a' -> 'b'): the weight is nan"),
        ('{"nodes": [], "edges": [["a", "b", "2"]]}', "g.json: edges[0] ('a' -> 'b'): the weight is a str"),
        ('{"node": "a"}\n{"source": "a", "target": "b", "weight": -1}', "g.json: edges[0] ('a' -> 'b'): the"),
    ],
)
def test_a_graph_that_is_none_is_an_error_with_its_line(checkout, text, message):
    checkout.write("g.json", text)
    done = checkout.search("why", "--graph", "g.json")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"error: {message}")


def test_a_line_of_a_graph_ends_where_json_lines_end(checkout):
    checkout.write("own.json", '{"node": "one\u2028line"}\n{"node": "RetryPolicy"}\n')
    assert checkout.search("why RetryPolicy", "--graph", "own.json").code == 0


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_graph_may_come_through_a_pipe(checkout):
    pipe = checkout.folder / "pipe"
    os.mkfifo(pipe)
    search = checkout.start("search", "--db", "t.db", "--json", "--graph", "pipe", "why RetryPolicy")
    pipe.write_text(FORMS["lines"])
    out, _ = search.communicate(timeout=60)
    assert json.loads(out)["trace"]["legs"]["graph"]["status"] == "ok"


def test_a_folder_is_no_graph(checkout):
    done = checkout.search("why", "--graph", "src")
    assert (done.code, done.err) == (2, "error: src: is a directory\n")


def test_a_graph_that_did_nothing_is_told(checkout):
    checkout.write("other.json", '{"nodes": ["Elsewhere", "Nowhere"], "edges": [["Elsewhere", "Nowhere"]]}')
    done = checkout.search("why does RetryPolicy wait", "--graph", "other.json")
    assert done.code == 0
    assert done.err.startswith("note: other.json has none of the passages found and nothing that they name")
    done = checkout.search("RetryPolicy", "--graph", "graph.json")
    assert done.err.startswith("note: a direct search does not walk the graph; --mode multi-hop does\n")
    assert checkout.search("why does RetryPolicy wait", "--graph", "graph.json").err == ""


def test_a_graph_that_is_not_there_says_how_to_make_it(checkout):
    done = checkout.search("why", "--graph", "gone.json")
    assert done.code == 2
    assert done.err == "error: gone.json: no such file; make it with: rankmeld graph PATH -o gone.json\n"


def test_a_folder_without_files_has_no_graph(rankmeld):
    (rankmeld.folder / "empty").mkdir()
    done = rankmeld("graph", "empty", "-o", "g.json")
    assert (done.code, done.out.splitlines()[0]) == (1, "Found: 0 files, 0 imports, 0 symbols")
    assert json.loads((rankmeld.folder / "g.json").read_text()) == {"nodes": {}, "edges": []}
