"""What a source file defines and what it refers to, read line by line: enough to link files, no compiler."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["References", "references_of"]

#: Names that stand in nearly every program tell nothing about one.
_TOO_COMMON = frozenset({"main", "new", "init", "setup", "test", "tests", "run", "get", "set", "default"})

#: What begins a definition at the left margin; indented ones belong to another.
_DEFINITIONS: dict[str, str] = {
    "python": r"(?:async +)?(?:def|class) +(\w+)",
    "rust": r"(?:pub(?:\([^)\n]*\))? +)?(?:unsafe +|async +|const +)*"
    r"(?:fn|struct|enum|trait|union|type|static|const) +(\w+)",
    "javascript": r"(?:export +)?(?:default +)?(?:async +)?(?:function\*?|class|const|let|var) +(\w+)",
    "typescript": r"(?:export +)?(?:default +)?(?:declare +)?(?:abstract +)?(?:async +)?"
    r"(?:function\*?|class|interface|type|enum|const|let|var) +(\w+)",
    "go": r"(?:func +(?:\([^)\n]*\) *)?|type +)(\w+)",
    "java": r"(?:(?:public|protected|private|abstract|final|static|sealed) +)*"
    r"(?:class|interface|enum|record) +(\w+)",
    "kotlin": r"(?:\w+ +)*(?:class|interface|object|fun) +(\w+)",
    "c": r"(?:typedef +)?(?:struct|enum|union) +(\w+)",
    "c++": r"(?:class|struct|enum(?: +class)?|namespace) +(\w+)",
}

#: What another file is called by; the group is how.
_IMPORTS: dict[str, str] = {
    "rust": r"(?:pub(?:\([^)\n]*\))? +)?(?:use +(?:crate::)?([\w:]+)|mod +(\w+) *;)",
    "javascript": r"(?:import|export)\b[^\n;]*?[\"']([^\"'\n]+)[\"']"
    r"|[^\n]*\brequire\([\"']([^\"'\n]+)[\"']\)",
    "go": r"(?:import +)?(?:[\w.]+ +)?\"([^\"\n]+)\"",
    "java": r"import +(?:static +)?([\w.]+)",
    "c": r"#[ \t]*include[ \t]*[<\"]([^>\"\n]+)[>\"]",
}
_SAME_AS = {"typescript": "javascript", "kotlin": "java", "c++": "c"}

_PYTHON_IMPORT = re.compile(
    r"^[ \t]*(?:from +(\.*[\w.]*) +import +(\([^)]*\)|[^\n]*)|import +([^\n]+))", re.MULTILINE
)
_MARKDOWN_LINK = re.compile(r"\]\(([^)#:\s]+)(?:[#\s][^)\n]*)?\)")

_DEFINED = {name: re.compile(f"^{pattern}", re.MULTILINE) for name, pattern in _DEFINITIONS.items()}
_IMPORTED = {name: re.compile(f"^[ \t]*{pattern}", re.MULTILINE) for name, pattern in _IMPORTS.items()}


class References(NamedTuple):
    """What one file says about itself and others.

    Attributes
    ----------
    defines : list of str
        Names that it defines at the left margin, public ones of three characters or more.
    imports : list of str
        What it imports or links to, as it is written there: ``..package.module``, ``./file``,
        ``crate::module``, ``header.h``.
    """

    defines: list[str]
    imports: list[str]


def references_of(text: str, language: str) -> References:
    r"""Read what a file defines and imports.

    Parameters
    ----------
    text : str
        Its text.
    language : str
        As `rankmeld.ingest.languages.language_of` says; ``"markdown"`` for links. Of another language
        nothing is known.

    Examples
    --------
    >>> references_of("from .order import best, worst\n\ndef merge(a, b):\n    pass\n", "python")
    References(defines=['merge'], imports=['.order', '.order.best', '.order.worst'])
    """
    defined = _DEFINED.get(language)
    names = [] if defined is None else [match[1] for match in defined.finditer(text)]
    kept = [name for name in names if len(name) >= 3 and name[0] != "_" and name.lower() not in _TOO_COMMON]
    return References(list(dict.fromkeys(kept)), list(dict.fromkeys(_imports(text, language))))


def _imports(text: str, language: str) -> Iterator[str]:
    if language == "python":
        yield from _python_imports(text)
        return
    pattern = _MARKDOWN_LINK if language == "markdown" else _IMPORTED.get(_SAME_AS.get(language, language))
    if pattern is not None:
        for match in pattern.finditer(text):
            yield from (found for found in match.groups() if found)


def _python_imports(text: str) -> Iterator[str]:
    """Modules, and what is taken from them: it may be a module itself."""
    for match in _PYTHON_IMPORT.finditer(text):
        source, names, whole = match.groups()
        for name in (names or whole or "").strip("() \t\n").split(","):
            words = name.partition("#")[0].split()
            if not words or not re.fullmatch(r"[\w.*]+", words[0]):
                continue
            if source is None:
                yield words[0]
            else:
                yield source
                if words[0] != "*":
                    yield f"{source}{'' if source.endswith('.') else '.'}{words[0]}"
