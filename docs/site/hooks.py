"""Adapts the documents for MkDocs, and checks the site that it builds.

The pages are written so that they also read well as plain files. So links lead to files of the source tree, and
lists are nested by two blanks. Here such links get a target within the site: a copy of the file. KaTeX, which draws
the equations, comes from the Debian package libjs-katex. At the end all links, pictures and anchors are checked.
"""

import html
import os
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from markdown.blockprocessors import build_block_parser
from markdown.extensions import Extension
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[2]
KATEX = Path(os.environ.get("ISOTHERM_KATEX", "/usr/share/javascript/katex"))
PAGES_OF_THE_ROOT = ("CHANGELOG.md", "CONTRIBUTING.md")
LINK = re.compile(r"\]\(([^)\s#]+)(#[^)\s]*)?\)")
DRAW_EQUATIONS = r"""for (const equation of document.querySelectorAll(".arithmatex")) {
  const source = equation.textContent.trim().replace(/^\\\[|\\\]$/g, "");
  katex.render(source, equation, { displayMode: true, throwOnError: false });
}
"""
FILE_NAME = re.compile(r"\[([\w./-]+\.md)\]\(([^)\s#]+)(?=[#)])")
copied: set[str] = set()


class NestedByTwo(Extension):
    """Lists are nested by two blanks, as in most dialects of Markdown, not by four."""

    def extendMarkdown(self, md):
        md.tab_length = 2
        md.parser = build_block_parser(md)


def on_config(config):
    config["markdown_extensions"].insert(0, NestedByTwo())
    if KATEX.is_dir():
        config["extra_css"].append("assets/katex/katex.min.css")
        config["extra_javascript"] += ["assets/katex/katex.min.js", "assets/katex/start.js"]
    return config


def on_files(files, config):
    for name in PAGES_OF_THE_ROOT:
        files.append(File(name, str(ROOT), config["site_dir"], config["use_directory_urls"]))
    for file in [file for file in files if file.src_uri.startswith("site/") and not file.src_uri.endswith(".css")]:
        files.remove(file)
    return files


def on_page_markdown(markdown, page, **_):
    in_root = page.file.src_uri in PAGES_OF_THE_ROOT
    folder = ROOT if in_root else (ROOT / "docs" / page.file.src_uri).parent

    def within_site(match):
        path, anchor = match.group(1), match.group(2) or ""
        if "://" in path or path.startswith("mailto:"):
            return match.group(0)
        target = os.path.relpath(os.path.normpath(folder / path), ROOT)
        return f"]({address_of(target, page)}{anchor})"

    def with_title(match):
        target = folder / match.group(2)
        title = title_of(target) if target.is_file() else match.group(1)
        return f"[{title}]({match.group(2)}"

    text = LINK.sub(within_site, FILE_NAME.sub(with_title, markdown))
    text = re.sub(r"(?m)^   (?=\$\$)", "  ", text)  # an equation within a numbered item
    text = re.sub(r"(\n\n(?:  \S.*\n)+)(?=- )", r"\1\n", text)  # the next item after a second paragraph
    text = re.sub(r"(?m)^\|.*", plain_bars, text)
    if text.count("\n```") % 2:
        raise PluginError(f"{page.file.src_uri}: a block of code has no end")
    return text


def plain_bars(row):
    """Removes the backslash before a bar in the code of a table's row, which Python-Markdown would show."""
    return re.sub(r"`[^`]*`", lambda code: code.group(0).replace("\\|", "|"), row.group(0))


def title_of(file):
    """Returns the title of a page, which replaces its file name as the text of a link."""
    title = file.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ").strip()
    return title.replace("[", "\\[").replace("]", "\\]")


def address_of(target, page):
    """Returns the link from a page to a file of the source tree: to a page, or `source:` and the file."""
    if target.startswith("docs/") and not (ROOT / target).is_dir():
        target = target.removeprefix("docs/")
    elif target not in ("README.md", *PAGES_OF_THE_ROOT):
        copied.add(target)
        return f"source:{target}" + ("/index.html" if (ROOT / target).is_dir() else "")
    return os.path.relpath(target, os.path.dirname(page.file.src_uri) or ".")


def on_page_content(content, page, **_):
    """Replaces `source:`, which MkDocs leaves alone, by the folder with copies of sources."""
    folder = os.path.relpath("source", os.path.dirname(page.file.dest_uri) or ".")
    return content.replace('href="source:', f'href="{folder}/')


def on_post_build(config):
    site = Path(config["site_dir"])
    for name in sorted(copied):
        copy_source(site, name)
    if KATEX.is_dir():
        copy_katex(site / "assets" / "katex")
    else:
        print(f"{KATEX} is missing (Debian: libjs-katex): equations are shown as their source")
    faults = check_site(site)
    if faults:
        raise PluginError("the site is wrong:\n  " + "\n  ".join(faults))


def copy_source(site, name):
    """Copies a file of the source tree; of a folder, a list of its files and these."""
    source, target = ROOT / name, site / "source" / name
    if source.is_dir():
        target.mkdir(parents=True, exist_ok=True)
        files = sorted(file.name for file in source.iterdir() if file.is_file())
        for file in files:
            shutil.copy(source / file, target / file)
        links = "".join(f'<li><a href="{html.escape(file)}">{html.escape(file)}</a></li>' for file in files)
        (target / "index.html").write_text(f"<!doctype html><meta charset=utf-8><title>{name}</title><ul>{links}</ul>")
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)


def copy_katex(target):
    target.mkdir(parents=True, exist_ok=True)
    for file in ("katex.min.css", "katex.min.js"):
        shutil.copy(KATEX / file, target)
    shutil.copytree(KATEX / "fonts", target / "fonts", dirs_exist_ok=True)
    (target / "start.js").write_text(DRAW_EQUATIONS, encoding="utf-8")


class Page(HTMLParser):
    """The anchors of a page, and the addresses that it refers to."""

    def __init__(self, file):
        super().__init__()
        self.anchors, self.links, self.loaded = {""}, [], []
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.anchors.update(given[key] for key in ("id", "name") if given.get(key))
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        if tag in ("img", "script") and given.get("src"):
            self.loaded.append(given["src"])
        if tag == "link" and given.get("rel") == "stylesheet":
            self.loaded.append(given["href"])


def check_site(site):
    """Returns the links that lead nowhere, and whatever a page loads from elsewhere."""
    pages = {file: Page(file) for file in sorted(site.rglob("*.html"))}
    faults = []
    for file, page in pages.items():
        name = file.relative_to(site)
        if name.name == "404.html":
            continue
        faults += [f"{name}: loads {src}" for src in page.loaded if urlsplit(src).netloc]
        for link in page.links + page.loaded:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = Path(os.path.normpath(file.parent / unquote(parts.path))) if parts.path else file
            if target.is_dir():
                target /= "index.html"
            if not target.is_file():
                faults.append(f"{name}: {link} does not exist")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
                faults.append(f"{name}: {link}: there is no such heading")
    if len(pages) < 30:
        faults.append(f"there are only {len(pages)} pages")
    return faults
