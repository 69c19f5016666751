"""Hooks of ``mkdocs.yml``: what the pages need from outside ``docs/`` becomes part of the site.

Pages are written for a reader of the repository, with links relative to their files. A page outside ``docs/`` (the
changelog) gets a place in the site, a notebook becomes a page, and any other file that a page links to is copied.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
PLACES = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "CODE_OF_CONDUCT.md": "code_of_conduct.md",
    "experiments/README.md": "experiments.md",
    "persian_rummy_env/players/weights/README.md": "champion.md",
    "tests/golden/README.md": "golden_games.md",
}
"""Pages outside ``docs/``, and their place in the site."""
CODE_OR_LINK = re.compile(
    r"```.*?```|`[^`\n]*`|(?P<before>\]\(|(?:src|href)=\")(?P<path>[^)\s\"#:]+)(?=[)\"#])", re.DOTALL
)
"""Code, which is left alone, or a link to a file."""
LOADED = re.compile(r"<(?:script|img|iframe)[^>]*\ssrc=\"?https?:[^>]*>|<link[^>]*https?:[^>]*>|url\(\"?https?:[^)]*\)")
"""What a browser would load from another host."""


def notebooks() -> Iterator[str]:
    return (path.relative_to(ROOT).as_posix() for path in sorted(ROOT.glob("notebooks/*.ipynb")))


def place_of(path: str) -> str:
    """Where a file of the repository is in the site."""
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    if path.endswith(".ipynb"):
        return path.removesuffix(".ipynb") + ".md"
    return "index.md" if path == "README.md" else PLACES.get(path, f"files/{path}")


def linked_from(page: str, link: str) -> str:
    """The file of the repository that a link of a page means."""
    return os.path.normpath(os.path.join(os.path.dirname(page), link)).replace(os.sep, "/")  # noqa: PTH118, PTH120


def links_of(page: str, text: str) -> set[str]:
    """The files of the repository that a page links to."""
    return {linked_from(page, found["path"]) for found in CODE_OR_LINK.finditer(text) if found["path"]}


def as_page(notebook: Path) -> str:
    """A notebook without its outputs, as Markdown."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    texts = ["".join(cell["source"]) for cell in cells]
    parts = [
        text if cell["cell_type"] == "markdown" else f"```python\n{text}\n```"
        for cell, text in zip(cells, texts, strict=True)
    ]
    source = f"*This page is [the notebook]({notebook.name}), without its outputs.*"
    return "\n\n".join([parts[0], source, *parts[1:]]) + "\n"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages, the notebooks, and the files that any page links to."""
    pages = {f"docs/{file.src_uri}": Path(str(file.abs_src_path)).read_text("utf-8") for file in files if is_page(file)}
    for path in PLACES:
        pages[path] = (ROOT / path).read_text(encoding="utf-8")
        files.append(File.generated(config, place_of(path), abs_src_path=str(ROOT / path)))
    for path in notebooks():
        pages[path] = as_page(ROOT / path)
        files.append(File.generated(config, place_of(path), content=pages[path]))
    waiting = [*pages]
    while waiting:
        page = waiting.pop()
        for path in sorted(links_of(page, pages[page]) - {*pages}):
            if path.startswith(("docs/", "../")) or not (ROOT / path).is_file():
                continue
            files.append(File.generated(config, copied_to(path), abs_src_path=str(ROOT / path)))
            pages[path] = ""
            if path.endswith(".md"):
                pages[path] = (ROOT / path).read_text(encoding="utf-8")
                waiting.append(path)
    for path in notebooks():
        files.append(File.generated(config, copied_to(path), abs_src_path=str(ROOT / path)))
    return files


def copied_to(path: str) -> str:
    return path if path.endswith(".ipynb") else place_of(path)


def is_page(file: File) -> bool:
    return file.src_uri.endswith(".md")


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:  # noqa: ARG001
    """Let the links of a page lead to where their files are in the site."""
    here = page.file.src_uri
    own = {place_of(path): path for path in (*PLACES, *notebooks())}.get(here, f"docs/{here}")
    own = own.removeprefix("docs/files/")

    def moved(found: re.Match[str]) -> str:
        if not found["path"] or (own.endswith(".ipynb") and found["path"].endswith(".ipynb")):
            return found[0]
        target = place_of(linked_from(own, found["path"]))
        return found["before"] + os.path.relpath(target, os.path.dirname(here) or ".").replace(os.sep, "/")  # noqa: PTH120

    return CODE_OR_LINK.sub(moved, markdown)


def on_post_build(config: MkDocsConfig) -> None:
    """A page loads nothing from another host.

    Raises:
        PluginError: one does; the message names it.
    """
    for path in sorted(Path(config.site_dir).rglob("*")):
        if path.suffix in (".html", ".css"):
            found = LOADED.search(path.read_text(encoding="utf-8"))
            if found:
                raise PluginError(f"{path.relative_to(config.site_dir)} loads from another host: {found[0]}")
