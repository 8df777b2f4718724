"""Builds articles in real documentation sites and reads the finished pages.

    build.py TURNPOINT OUT mdbook MDBOOK
    build.py TURNPOINT OUT mkdocs MKDOCS

Every log of `fixtures/article` and the example becomes a folder of the site. The build must pass without a warning, and
each page must show exactly the words that turnpoint's own page of the same article shows: so nothing of a log was obeyed,
swallowed or left with a stray mark. The site turns on what would act: MathJax in the book; Jinja and the usual extensions
in MkDocs."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser

ROOT = pathlib.Path(__file__).resolve().parents[2]

BOOK = """[book]
title = "Sessions"
[output.html]
mathjax-support = true
"""

SITE = """site_name: Sessions of a site
theme: mkdocs
plugins: [search, macros]
markdown_extensions:
  - abbr
  - admonition
  - attr_list
  - def_list
  - footnotes
  - md_in_html
  - tables
  - toc
  - pymdownx.arithmatex: {generic: true}
  - pymdownx.caret
  - pymdownx.details
  - pymdownx.emoji
  - pymdownx.keys
  - pymdownx.mark
  - pymdownx.smartsymbols
  - pymdownx.snippets: {base_path: [/]}
  - pymdownx.superfences
  - pymdownx.tabbed: {alternate_style: true}
  - pymdownx.tasklist
  - pymdownx.tilde
"""


class Words(HTMLParser):
    """The visible words of one part of a page, block by block, and the tags in it."""

    BLOCKS = {"h1", "h2", "p", "li", "td", "th"}
    SILENT = {"script", "style", "figure", "svg"}

    def __init__(self, inside, attributes=()):
        super().__init__(convert_charrefs=True)
        self.inside, self.attributes = inside, attributes
        self.depth, self.silent, self.blocks, self.tags = 0, 0, [], []
        self.code, self.formulas = 0, []

    def handle_starttag(self, tag, attributes):
        void = tag in ("img", "br", "hr", "input", "meta", "link", "source")
        here = tag == self.inside and all(a in attributes for a in self.attributes)
        if not self.depth and not here:
            return
        self.tags.append((tag, attributes))
        if tag in self.BLOCKS:
            self.blocks.append("")
        if not void:
            self.depth += 1
            self.silent += tag in self.SILENT
            self.code += tag == "code"

    def handle_endtag(self, tag):
        if self.depth and tag not in ("img", "br", "hr", "input", "meta", "link", "source"):
            self.depth -= 1
            self.silent -= tag in self.SILENT
            self.code -= tag == "code"

    def handle_data(self, data):
        if self.depth and not self.silent and self.blocks:
            self.blocks[-1] += data
            if not self.code:
                self.formulas += re.findall(r"\$\$|\\[()\[\]]", data)


def words(path, inside, attributes=()):
    """Blocks of a page as plain words, its tags, and what MathJax would take for a formula. Marks that typography may
    change count as one."""
    parser = Words(inside, attributes)
    parser.feed(path.read_text(encoding="utf-8"))
    same = str.maketrans({"“": '"', "”": '"', "‘": "'", "’": "'", "¶": " ", "\u00a0": " "})
    plain = [" ".join(block.translate(same).split()) for block in parser.blocks]
    return [block for block in plain if block], parser.tags, parser.formulas


def run(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, **more)
    if done.returncode:
        sys.exit(f"{command}: {done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def logs():
    yield "example", ROOT / "fixtures/example/session.jsonl"
    for log in sorted((ROOT / "fixtures/article").glob("*/log.txt")):
        yield log.parent.name, log


def article_pages(folder):
    return sorted(p for p in folder.rglob("*.md") if p.parent.name != "pictures" and p.name not in ("index.md", "SUMMARY.md"))


def write(program, out, flavour, docs):
    for name, log in logs():
        run([program, "retro", log, "-o", docs / name, "--format", "markdown", "--flavour", flavour])
        run([program, "retro", log, "-o", out / "own" / name, "--format", "html"])


def compare(out, docs, page_of, inside, attributes=(), mathjax=False):
    """Faults: blocks that differ from turnpoint's own page, tags and attributes that articles do not make."""
    faults, count = [], 0
    allowed = {"h1", "h2", "p", "ul", "li", "table", "thead", "tbody", "tr", "td", "th", "code", "em", "a", "img", "div",
               "main", "span", "header", "section", "nav", "details", "summary"}
    for page in article_pages(docs):
        name = page.relative_to(docs)
        own, _, _ = words(out / "own" / name.with_suffix(".html"), "body")
        built, tags, formulas = words(page_of(name), inside, attributes)
        if formulas and mathjax:
            faults.append(f"{name}: a formula, {formulas}")
        # The list of sections is only on our page; headings of it stand again above the sections.
        head = own.index(next(b for b in own if b.startswith(("Retrospective of", "About message"))))
        body = own[head + 1:]
        first = body.index("Evidence")
        last = body.index("Evidence", first + 1)
        wanted = own[:head + 1] + body[first + 1:last]
        for mine, theirs in zip(wanted, built):
            if mine != theirs:
                faults.append(f"{name}:\n  wanted {mine}\n  found  {theirs}")
                break
        else:
            if len(wanted) != len(built):
                faults.append(f"{name}: {len(wanted)} blocks became {len(built)}")
        for tag, attributes_ in tags:
            loud = [a for a, v in attributes_ if a.startswith("on") or "javascript:" in (v or "")]
            if tag not in allowed or loud:
                faults.append(f"{name}: <{tag} {loud}>")
        count += 1
    return faults, count


def mdbook(program, out, tool):
    docs = out / "book" / "src"
    write(program, out, "mdbook", docs)
    (out / "book" / "book.toml").write_text(BOOK)
    chapters = [f"- [{p.parent.name} {p.stem}]({p.relative_to(docs)})" for p in sorted(docs.rglob("*.md"))]
    (docs / "SUMMARY.md").write_text("# Summary\n\n" + "\n".join(chapters) + "\n")
    said = run([tool, "build", out / "book"])
    warnings = [line for line in said.splitlines() if re.search(r"\b(WARN|ERROR)\b", line)]
    built = out / "book" / "book"
    return warnings, compare(out, docs, lambda name: built / name.with_suffix(".html"), "main", mathjax=True)


def mkdocs(program, out, tool):
    docs = out / "site" / "docs"
    write(program, out, "mkdocs", docs)
    (out / "site" / "mkdocs.yml").write_text(SITE)
    (docs / "index.md").write_text("# Sessions\n")
    run([tool, "build", "--strict", "--config-file", out / "site" / "mkdocs.yml"])
    built = out / "site" / "site"
    page = lambda name: built / name.with_suffix("") / "index.html"
    return [], compare(out, docs, page, "div", [("role", "main")])


def main():
    program, out, kind, tool = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), sys.argv[3], sys.argv[4]
    shutil.rmtree(out, ignore_errors=True)
    warnings, (faults, count) = {"mdbook": mdbook, "mkdocs": mkdocs}[kind](os.path.abspath(program), out, tool)
    for line in warnings + faults:
        print(line)
    print(f"   {count} articles in a {kind} site, {len(warnings)} warnings, {len(faults)} faults")
    sys.exit(1 if warnings or faults or not count else 0)


main()
