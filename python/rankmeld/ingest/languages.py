"""The language of a source file, by its name."""

from __future__ import annotations

from pathlib import PurePosixPath

__all__ = ["language_of"]

_SUFFIXES: dict[str, tuple[str, ...]] = {
    "assembly": (".asm", ".s"),
    "c": (".c", ".h"),
    "c#": (".cs",),
    "c++": (".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx"),
    "clojure": (".clj", ".cljs"),
    "cmake": (".cmake",),
    "css": (".css", ".less", ".sass", ".scss"),
    "cuda": (".cu", ".cuh"),
    "dart": (".dart",),
    "elixir": (".ex", ".exs"),
    "erlang": (".erl", ".hrl"),
    "fortran": (".f", ".f90"),
    "go": (".go",),
    "graphql": (".graphql",),
    "groovy": (".gradle", ".groovy"),
    "haskell": (".hs",),
    "html": (".htm", ".html", ".vue"),
    "ini": (".cfg", ".conf", ".ini"),
    "java": (".java",),
    "javascript": (".cjs", ".js", ".jsx", ".mjs"),
    "json": (".json",),
    "julia": (".jl",),
    "kotlin": (".kt", ".kts"),
    "lisp": (".el", ".lisp", ".scm"),
    "lua": (".lua",),
    "nix": (".nix",),
    "objective-c": (".m", ".mm"),
    "ocaml": (".ml", ".mli"),
    "perl": (".pl", ".pm"),
    "php": (".php",),
    "powershell": (".ps1",),
    "protobuf": (".proto",),
    "python": (".py", ".pyi", ".pyx"),
    "r": (".r",),
    "ruby": (".rb",),
    "rust": (".rs",),
    "scala": (".scala",),
    "shell": (".bash", ".fish", ".sh", ".zsh"),
    "sql": (".sql",),
    "swift": (".swift",),
    "terraform": (".hcl", ".tf"),
    "toml": (".toml",),
    "typescript": (".cts", ".mts", ".ts", ".tsx"),
    "xml": (".xml", ".xsd", ".xsl"),
    "yaml": (".yaml", ".yml"),
    "zig": (".zig",),
}
_BY_SUFFIX = {suffix: language for language, found in _SUFFIXES.items() for suffix in found}
_BY_NAME = {"cmakelists.txt": "cmake", "dockerfile": "dockerfile", "makefile": "make"}


def language_of(name: str) -> str:
    """The language that a file's name tells; empty where it tells none.

    Examples
    --------
    >>> language_of("src/main.rs"), language_of("Makefile"), language_of("notes.txt")
    ('rust', 'make', '')
    """
    path = PurePosixPath(name)
    return _BY_NAME.get(path.name.lower()) or _BY_SUFFIX.get(path.suffix.lower(), "")
