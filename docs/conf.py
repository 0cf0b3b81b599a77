"""Sphinx reads this: the guide is Markdown, the reference is made from the docstrings."""

from __future__ import annotations

from importlib.metadata import version as installed_version

project = "rankmeld"
author = "The rankmeld authors"
project_copyright = "2026, The rankmeld authors"
release = installed_version("rankmeld")
version = ".".join(release.split(".")[:2])

extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3

# A signature shows the types; the docstring says what they mean.
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
# `members` lists methods once; numpydoc's own list would repeat them.
numpydoc_show_class_members = False
# A parameter that is documented but gone is an error.
numpydoc_validation_checks = {"PR02"}

html_theme = "furo"
html_title = f"rankmeld {release}"
html_show_sphinx = False
html_copy_source = False
exclude_patterns = ["_build"]
