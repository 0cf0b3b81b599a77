"""A graph of a checkout: its files, what they import and define, and the passages they are cut into."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path, PurePosixPath

from rankmeld.ingest.files import Skip, SourceFile, discover
from rankmeld.ingest.languages import language_of
from rankmeld.ingest.reading import decode, read_documents
from rankmeld.ingest.references import references_of

__all__ = ["CheckoutGraph", "graph_of"]

#: A name that more files define than this is no name of one thing.
_MOST_DEFINITIONS = 4
#: Endings that an import may leave out.
_SUFFIXES = (".py", ".pyi", ".rs", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".java", ".kt", ".go", ".h", ".hpp")
#: Files that stand for their folder.
_INDEXES = ("__init__", "mod", "lib", "index", "main")


@dataclass
class CheckoutGraph:
    """Nodes and edges, as `rankmeld.AdaptiveSearcher` takes them.

    Attributes
    ----------
    nodes : dict
        A file by its path below the root, or below what all roots have in common where several of them
        have one of that path; a module by its dotted name, a symbol by its name: all
        ``"concept"``. A passage by the id that `read_documents` gives it: ``"passage"``.
    edges : list of (str, str, float)
        File to imported file, file to symbol, module to file, passage to file, passage to each symbol that
        it defines.
    files, imports, symbols : int
        How many there are.
    """

    nodes: dict[str, str] = field(default_factory=dict)
    edges: list[tuple[str, str, float]] = field(default_factory=list)
    files: int = 0
    imports: int = 0
    symbols: int = 0


@dataclass(frozen=True)
class _File:
    """One file of the checkout: its node, what it says, and its passages with what each defines."""

    name: str
    defines: list[str]
    imports: list[str]
    passages: list[tuple[str, list[str]]]


def graph_of(paths: Iterable[str | os.PathLike[str]], *, on_skip: Skip | None = None) -> CheckoutGraph:
    r"""Read the files under some paths and link them.

    Parameters
    ----------
    paths : iterable of str or os.PathLike
        Folders and files, as for `discover`; made absolute, as indexing does, so that passages have
        the same ids.
    on_skip : callable, optional
        ``on_skip(path, reason)`` for what is not read.

    Returns
    -------
    CheckoutGraph
        In the order of the files.

    Raises
    ------
    TypeError, InvalidArgumentError
        As `discover`.

    Notes
    -----
    Linear in the text. Imports are read from Python, Rust, JavaScript, TypeScript, Go, Java, Kotlin, C and
    C++, links from Markdown; what they name is looked for among the files by the end of its path. An
    import that fits no file, as that of a library, is left out.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "order.py").write_text("def best(hits):\n    return max(hits)\n")
    ...     _ = Path(folder, "merge.py").write_text("from order import best\n")
    ...     graph = graph_of([folder])
    >>> ("merge.py", "order.py", 1.0) in graph.edges, ("order.py", "best", 1.0) in graph.edges
    (True, True)
    """
    roots = [Path(os.path.abspath(path)) for path in paths]  # noqa: PTH100 - links stay as they are
    sources = [source for source in discover(roots, on_skip=on_skip) if source.kind not in {"jsonl", "csv"}]
    names = _names([source.path for source in sources], roots)
    files = [_read(source, name, on_skip) for source, name in zip(sources, names, strict=True)]
    return _linked([file for file in files if file is not None])


def _names(paths: list[str], roots: list[Path]) -> list[str]:
    """A name of its own for each file: two folders may both have a README.md."""
    short = [_below(path, roots) for path in paths]
    often = Counter(short)
    if len(often) == len(short):
        return short
    shared = Path(os.path.commonpath(paths))
    return [
        name if often[name] == 1 else Path(path).relative_to(shared).as_posix()
        for path, name in zip(paths, short, strict=True)
    ]


def _below(path: str, roots: list[Path]) -> str:
    """The path from the folder that was named."""
    for root in roots:
        if Path(path) != root and Path(path).is_relative_to(root):
            return Path(path).relative_to(root).as_posix()
    return PurePosixPath(path).name


def _read(source: SourceFile, name: str, on_skip: Skip | None) -> _File | None:
    language = "markdown" if source.kind == "markdown" else language_of(source.name)
    try:
        text = decode(Path(source.path).read_bytes())
        documents = read_documents(source)
    except OSError as error:
        if on_skip is not None:
            on_skip(source.path, f"cannot be read: {error.strerror or error}")
        return None
    found = references_of(text, language)
    passages = [(str(document.id), references_of(document.text, language).defines) for document in documents]
    return _File(name, found.defines, found.imports, passages)


def _linked(files: list[_File]) -> CheckoutGraph:
    graph = CheckoutGraph(files=len(files))
    by_end = _by_end(files)
    often = Counter(name for file in files for name in file.defines)
    symbols = {name for name, count in often.items() if count <= _MOST_DEFINITIONS}
    graph.symbols = len(symbols)
    for file in files:
        graph.nodes[file.name] = "concept"
    for file in files:
        module = _module_of(file.name)
        if module is not None:
            graph.nodes.setdefault(module, "concept")
            graph.edges.append((module, file.name, 1.0))
        targets = dict.fromkeys(_targets(file, by_end))
        graph.imports += len(targets)
        graph.edges += [(file.name, target, 1.0) for target in targets]
        for name in file.defines:
            if name in symbols:
                graph.nodes.setdefault(name, "concept")
                graph.edges.append((file.name, name, 1.0))
        for passage, defines in file.passages:
            graph.nodes[passage] = "passage"
            graph.edges.append((passage, file.name, 1.0))
            graph.edges += [(passage, name, 1.0) for name in defines if name in symbols]
    return graph


def _module_of(name: str) -> str | None:
    """The dotted name of a Python module that lies in a package."""
    path = PurePosixPath(name)
    if path.suffix != ".py" or len(path.parts) < 2:
        return None
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _by_end(files: list[_File]) -> dict[str, list[str]]:
    """Files by every end of their path, with and without what an import may leave out."""
    found: dict[str, list[str]] = {}
    for file in files:
        path = PurePosixPath(file.name)
        forms = [path]
        if path.suffix in _SUFFIXES:
            bare = path.with_suffix("")
            forms.append(bare)
            if bare.name in _INDEXES and len(bare.parts) > 1:
                forms.append(bare.parent)
        for form in forms:
            for start in range(len(form.parts)):
                found.setdefault("/".join(form.parts[start:]), []).append(file.name)
    return found


def _targets(file: _File, by_end: dict[str, list[str]]) -> Iterator[str]:
    """The files that a file imports, of several with that end the nearest."""
    folder = PurePosixPath(file.name).parent
    for written in file.imports:
        for end in _ends(written, folder):
            near = [name for name in by_end.get(end, ()) if name != file.name]
            if near:
                yield max(near, key=lambda name: _shared(name, file.name))
                break


def _ends(written: str, folder: PurePosixPath) -> Iterator[str]:
    """The ends of a path that an import may mean, the likeliest first."""
    if written.startswith(".") and "/" not in written:  # .module, ..package.module
        up = len(written) - len(written.lstrip("."))
        base = folder.parts[: len(folder.parts) - up + 1]
        yield "/".join([*base, *filter(None, written[up:].split("."))])
        return
    if written.startswith("."):  # ./file, ../folder/file
        yield Path(os.path.normpath(folder / written)).as_posix()
        return
    if "::" in written:
        parts = [part for part in written.split("::") if part not in {"", "crate", "self", "super"}]
        for stop in range(len(parts), 0, -1):  # the last ones may be items of the module
            yield "/".join(parts[:stop])
        return
    yield (folder / written).as_posix()
    yield written
    if "/" not in written:
        yield written.replace(".", "/")


def _shared(one: str, other: str) -> int:
    """How many folders two paths have in common from the top."""
    pairs = zip(PurePosixPath(one).parts, PurePosixPath(other).parts, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
