"""Changes to the parsed text: heading ids, figures, tables with their alignment, tasks."""

import re
from typing import TYPE_CHECKING

from sitecms.content.text.slug import slugify, unique_in

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_core import StateCore
    from markdown_it.token import Token

OWN_ID = "own_id"
"""Key of the facts about a heading whose author gave it an id."""
_UNTITLED = "section"
_TEXT = frozenset({"text", "code_inline", "image"})
_ALONE = (["image"], ["link_open", "image", "link_close"])
_TASK = re.compile(r"\[([ xX])\][ \t]+(?=\S)")


def shape(state: "StateCore") -> None:
    """Add heading ids, figures, and tables with their alignment; hide empty headings. One walk over the tokens."""
    numbers: dict[str, int] = {}
    for place, token in enumerate(state.tokens):
        if token.tag == "h1" and token.type in ("heading_open", "heading_close"):
            token.tag = "h2"  # the page's title is the one h1
        if token.type == "heading_open" and not (token.attrs.get("id") or state.tokens[place + 1].children):
            token.hidden = state.tokens[place + 2].hidden = True  # without words it would be an empty entry of outlines
        elif token.type == "heading_open":
            own = str(token.attrs.get("id") or "")
            if own:
                token.meta[OWN_ID] = True
            made = own or slugify(heading_words(state.tokens[place + 1])) or _UNTITLED
            token.attrSet("id", unique_in(numbers, made))
        elif token.type == "paragraph_open" and not token.hidden:
            _figure(*state.tokens[place : place + 3])
        elif token.type == "table_open":
            token.attrSet("tabindex", "0")  # it may be scrolled where it is too wide, by keyboard as well
        elif token.type in ("th_open", "td_open") and (style := token.attrs.pop("style", None)):
            token.attrJoin("class", str(style).replace("text-align:", "align-"))


def heading_words(inline: "Token") -> str:
    """Return the words of a heading, of which its id is made."""
    return "".join(child.content for child in inline.children or () if child.type in _TEXT)


def _figure(opening: "Token", inline: "Token", closing: "Token") -> None:
    """Turn a paragraph of one image, linked or not, into a figure, which takes its class and id."""
    from markdown_it.token import Token

    children = inline.children or []
    if [child.type for child in children] not in _ALONE:
        return
    opening.tag = closing.tag = "figure"
    image = next(child for child in children if child.type == "image")
    for name in ("id", "class"):
        if name in image.attrs:
            opening.attrSet(name, image.attrs.pop(name))
    if title := image.attrs.pop("title", ""):
        children.append(Token("figcaption", "", 0, content=str(title)))


def use_task_lists(parser: "MarkdownIt") -> None:
    """Turn items of lists that begin with `[ ]` or `[x]` into tasks."""
    parser.core.ruler.after("block", "task_lists", _find_tasks)
    parser.core.ruler.push("task_lists", _mark_tasks)


def _find_tasks(state: "StateCore") -> None:
    """Note the state of each task, and take its sign out of the text."""
    lists: list[Token] = []
    before: list[Token] = []
    for token in state.tokens:
        if token.type in ("bullet_list_open", "ordered_list_open"):
            lists.append(token)
        elif token.type in ("bullet_list_close", "ordered_list_close"):
            lists.pop()
        elif (
            token.type == "inline"
            and [each.type for each in before] == ["list_item_open", "paragraph_open"]
            and (match := _TASK.match(token.content))
        ):
            token.meta["is_done"] = match[1] != " "
            token.content = token.content[match.end() :]
            before[0].attrJoin("class", "task")
            if "class" not in lists[-1].attrs:
                lists[-1].attrSet("class", "tasks")
        before = [*before[-1:], token]


def _mark_tasks(state: "StateCore") -> None:
    """Put a check box before the text of each task, both in a label."""
    from markdown_it.token import Token

    for token in state.tokens:
        if "is_done" in token.meta:
            checked = {"checked": ""} if token.meta["is_done"] else {}
            box = Token("task_box", "input", 0, attrs={"type": "checkbox", "disabled": "", **checked})
            space = Token("text", "", 0, content=" ")
            label = Token("task_open", "label", 1), Token("task_close", "label", -1)
            token.children = [label[0], box, space, *(token.children or ()), label[1]]
