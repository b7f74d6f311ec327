"""Footnotes with names for screen readers, and warnings about notes and links whose other half is missing.

Roles are those of DPUB-ARIA. A note that nothing refers to is not shown; no text vanishes without a warning.
"""

import re
from collections.abc import Mapping, Sequence
from html import escape
from itertools import islice
from typing import TYPE_CHECKING, Any

from sitecms.content.text.markdown.problems import REPORT_PROBLEM, line_within, report_problem
from sitecms.content.text.markdown.words import FOOTNOTE_WORDS, LANGUAGE, words_of
from sitecms.documents import nearest

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_core import StateCore
    from markdown_it.token import Token

_SIGNS = ("[^", "][", "]:")
_REFERENCE = re.compile(r"\[\^([^\s\[\]^]{1,99})\]")
_LINK = re.compile(r"(?<![\w\])])\[([^\[\]]{1,200})\]\[([^\[\]]{0,200})\]")
_MAX_REPORTED = 40  # of each kind in one text: finding what was meant takes its time
_ARROW = "\u21a9\ufe0e"  # the selector keeps phones from drawing an emoji


def use_footnotes(parser: "MarkdownIt") -> None:
    """Add footnotes, and warnings about what lacks its other half."""
    from mdit_py_plugins.footnote import footnote_plugin

    parser.use(footnote_plugin)
    parser.core.ruler.before("footnote_tail", "missing_halves", _report_missing)
    for name, rule in {"footnote_block_open": _section, "footnote_ref": _reference, "footnote_anchor": _return}.items():
        parser.add_render_rule(name, rule)


def _words(env: dict[str, Any]) -> Sequence[str]:
    return words_of(FOOTNOTE_WORDS, env.get(LANGUAGE, "en"))


def _section(_: object, __: object, ___: int, ____: object, env: dict[str, Any]) -> str:
    label = escape(_words(env)[0])
    return f'<section class="footnotes" role="doc-endnotes" aria-label="{label}">\n<ol class="footnotes-list">\n'


def _reference(_: object, tokens: "Sequence[Token]", place: int, __: object, env: dict[str, Any]) -> str:
    note, target, source = _names(tokens[place], env)
    label = escape(_words(env)[1].format(note))
    link = f'<a href="#fn{target}" id="fnref{source}" role="doc-noteref" aria-label="{label}">[{note}]</a>'
    return f'<sup class="footnote-ref">{link}</sup>'


def _return(_: object, tokens: "Sequence[Token]", place: int, __: object, env: dict[str, Any]) -> str:
    """Return the link back to a reference; those to the second and further ones show their number."""
    note, _target, source = _names(tokens[place], env)
    number = tokens[place].meta.get("subId", 0) + 1
    label = escape(_words(env)[2].format(f"{note}-{number}" if number > 1 else note))
    shown = f"{_ARROW}<sup>{number}</sup>" if number > 1 else _ARROW
    return f' <a href="#fnref{source}" class="footnote-backref" role="doc-backlink" aria-label="{label}">{shown}</a>'


def _names(token: "Token", env: dict[str, Any]) -> tuple[str, str, str]:
    """Return the number of a note, and the endings of the ids of the note and of the place that refers to it."""
    note, number = str(token.meta["id"] + 1), token.meta.get("subId", 0)
    prefix = f"-{env['docId']}-" if "docId" in env else ""
    return note, prefix + note, f"{prefix}{note}:{number}" if number > 0 else prefix + note


def _report_missing(state: "StateCore") -> None:
    """Report references to notes and definitions that are not there, and notes and definitions that are not shown."""
    if REPORT_PROBLEM not in state.env or not any(sign in state.src for sign in _SIGNS):
        return
    defined: dict[str, int] = {}
    unknown_notes: dict[str, int] = {}
    unknown_links: dict[tuple[str, str], int] = {}
    for token in state.tokens:
        line = token.map[0] if token.map else 0
        if token.type == "footnote_reference_open":
            label = token.meta["label"]
            if label in defined:
                what = f"has the footnote [^{label}], which is defined again below, so this note is not shown"
                report_problem(state.env, defined[label], what, "give one of them another name", is_error=False)
            defined[label] = line
        for child in token.children or ():
            if child.type == "text":
                for label in _REFERENCE.findall(child.content):
                    unknown_notes.setdefault(label, line + line_within(token, f"[^{label}]"))
                for text, name in _LINK.findall(child.content):
                    unknown_links.setdefault((text, name), line + line_within(token, f"][{name}]"))
    _report_notes(state, defined, unknown_notes)
    _report_links(state, unknown_links)


def _report_notes(state: "StateCore", defined: Mapping[str, int], unknown: Mapping[str, int]) -> None:
    """Report references without a note, and notes without a reference; one may be a misspelling of the other."""
    shown = {note["label"] for note in state.env.get("footnotes", {}).get("list", {}).values() if "label" in note}
    for label, line in islice(unknown.items(), _MAX_REPORTED):
        meant = nearest(label, defined)
        remedy = f'did you mean "[^{meant}]"?' if meant else f"add a line that begins with [^{label}]:"
        what = f"refers to the footnote [^{label}], which is not defined"
        report_problem(state.env, line, what, remedy, is_error=False)
    for label in sorted(defined.keys() - shown, key=defined.__getitem__):
        what = f"has the footnote [^{label}], to which nothing refers, so it is not shown"
        report_problem(state.env, defined[label], what, f"write [^{label}] where it belongs", is_error=False)


def _report_links(state: "StateCore", unknown: Mapping[tuple[str, str], int]) -> None:
    """Report links by a name that no definition has, and definitions that have no effect and lead elsewhere."""
    definitions = state.env.get("references", {})
    for (text, name), line in islice(unknown.items(), _MAX_REPORTED):
        label = name or text
        if not label.startswith("^"):
            meant = nearest(label.upper(), definitions).lower()
            remedy = f'did you mean "[{meant}]"?' if meant else f"add a line such as [{label}]: https://…"
            what = f"has the link [{text}][{name}], but no definition of [{label}]"
            report_problem(state.env, line, what, remedy, is_error=False)
    for each in state.env.get("duplicate_refs", ()):
        label = each["label"]
        if each["href"] != definitions[label]["href"]:
            what = f"defines the link [{label.lower()}] again, which has no effect: the first definition counts"
            report_problem(state.env, each["map"][0], what, "remove it, or give it another name", is_error=False)
