"""Make ``collection/`` and ``COPYRIGHT.md`` from Debian's package of the SQLite documentation.

The collection is in the repository, so nobody has to run this; it is here to show where each line came from::

    apt-get download sqlite3-doc && dpkg -x sqlite3-doc_*.deb unpacked
    python examples/demo/convert.py unpacked/usr/share/doc/sqlite3
"""

from __future__ import annotations

import argparse
import re
from html.parser import HTMLParser
from pathlib import Path

# Pages that explain in prose. Reference tables of the C interface, change logs and syntax diagrams are
# left out.
PAGES = [
    "about", "appfileformat", "arch", "atomiccommit", "autoinc", "backup", "datatype3", "faq",
    "flextypegood", "foreignkeys", "howtocorrupt", "inmemorydb",
    "intern-v-extern-blob", "isolation", "limits", "lockingv3", "mmap", "nulls", "onefile",
    "partialindex", "queryplanner", "quirks", "security", "serverless",
    "stricttables", "tempfiles", "threadsafe", "transactional", "useovernet", "wal", "whentouse",
    "withoutrowid",
]  # fmt: skip

SKIPPED_TAGS = {"script", "style", "svg", "s"}
SKIPPED_CLASSES = {
    "fancy_toc",
    "fancy_title",
    "menu",
    "nosearch",
    "searchmenu",
    "desktoponly",
    "mobileonly",
    "tagline",
    "logo",
}
VOID_TAGS = {"br", "hr", "img", "input", "meta", "link", "wbr", "col", "source"}
HEADINGS = {"title": "#", "h1": "##", "h2": "###", "h3": "####", "h4": "#####"}
_NUMBER = re.compile(r"^(\d+\.)*\d*\s+")
BLOCKS = {"p", "div", "ul", "ol", "dl", "dt", "dd", "blockquote", "table", "tr", "center", "body"}


class Page(HTMLParser):
    """Collects a page as Markdown blocks; leaves out navigation, scripts and struck-out text."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.blocks: list[str] = []
        self._text: list[str] = []
        self._prefix = ""
        self._verbatim = False
        self._skipping: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        classes = set((dict(attrs).get("class") or "").split())
        if self._skipping or tag in SKIPPED_TAGS or classes & SKIPPED_CLASSES:
            if tag not in VOID_TAGS:
                self._skipping.append(tag)
            return
        if tag in HEADINGS or tag in {"pre", "li"} or tag in BLOCKS:
            self.flush()
        if tag in HEADINGS:
            self._prefix = HEADINGS[tag] + " "
        elif tag == "li":
            self._prefix = "- "
        elif tag == "pre":
            self._verbatim = True
        elif tag in {"td", "th"}:
            self._text.append(" ")
        elif tag == "sup":  # 2<sup>48</sup>
            self._text.append("^")
        elif tag == "br":
            self._text.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if self._skipping:
            # Pages leave <li> and <p> open; only the innermost element of this name closes.
            if tag in self._skipping:
                while self._skipping.pop() != tag:
                    pass
            return
        if tag in HEADINGS or tag in {"pre", "li"} or tag in BLOCKS:
            self.flush()

    def handle_data(self, data: str) -> None:
        if not self._skipping:
            self._text.append(data)

    def flush(self) -> None:
        """End the block that is open, if it says anything."""
        text = "".join(self._text)
        self._text.clear()
        if self._verbatim:
            text = text.strip("\n").rstrip()
            if text:
                self.blocks.append(f"```\n{text}\n```")
        else:
            text = " ".join(text.split())
            if text:
                # "1.2. Overview" loses its number: the heading path says where it stands.
                heading = self._prefix.startswith("#")
                self.blocks.append(self._prefix + (_NUMBER.sub("", text) if heading else text))
        self._prefix = ""
        self._verbatim = False


def to_markdown(html: str) -> str:
    """The prose of one page as Markdown, headings first."""
    page = Page()
    page.feed(html)
    page.close()
    page.flush()
    title = text = page.blocks[0]
    for block in page.blocks[1:]:
        if block.startswith("This page last modified on") or (
            block[0] == "#" and block.lstrip("#") == title[1:]
        ):
            continue  # the foot of a page, and a heading that repeats the title
        tight = block.startswith("- ") and text.rpartition("\n\n")[2].startswith("- ")
        text += ("\n" if tight else "\n\n") + block
    return text + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("pages", type=Path, help="the unpacked folder usr/share/doc/sqlite3")
    source = parser.parse_args().pages
    here = Path(__file__).parent
    targets = {name: here / "collection" / f"{name}.md" for name in PAGES} | {
        "copyright": here / "COPYRIGHT.md"
    }
    for name, target in targets.items():
        html = (source / f"{name}.html").read_text(encoding="utf-8", errors="replace")
        target.parent.mkdir(exist_ok=True)
        target.write_text(to_markdown(html), encoding="utf-8")


if __name__ == "__main__":
    main()
