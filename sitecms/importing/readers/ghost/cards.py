"""Cards in the HTML of Ghost, as plain HTML: figures, quotations, details and links in place of `kg-*` markup."""

from collections.abc import Callable

from sitecms.importing.html.tree import Element, Node, Remark, line_of, rewrite

DROPPED = {"kg-signup-card", "kg-email-card", "kg-email-cta-card", "kg-paywall-card"}
_OF_PLAYERS = {"button", "svg", "input"}


def replace_cards(root: Element, report: Callable[[str], None]) -> None:
    """Replace the cards of a text by plain HTML. `report` gets the name of each that is dropped or unknown."""

    def change(node: Node) -> list[Node] | None:
        if isinstance(node, Remark):
            return []  # kg-card-begin, members-only
        if isinstance(node, str):
            return None
        classes = node.classes()
        if dropped := classes & DROPPED:
            report(min(dropped))
            return []
        for name, make in _CARDS.items():
            if name in classes:
                return make(node)
        if "kg-card" in classes and node.tag not in ("figure", "hr"):
            names = sorted(name for name in classes if name.endswith("-card") and name != "kg-card")
            report(next(iter(names), "kg-card"))
        _drop_classes(node)
        return None

    rewrite(root, change)


def _drop_classes(element: Element) -> None:
    kept = [name for name in element.attrs.get("class", "").split() if not name.startswith("kg-")]
    if kept:
        element.attrs["class"] = " ".join(kept)
    else:
        element.attrs.pop("class", None)


def _link(url: str, text: str) -> Element:
    return Element("p", children=[Element("a", {"href": url}, [text])])


def _caption(element: Element) -> list[Node]:
    caption = element.find("figcaption")
    return [caption] if caption and caption.text().strip() else []


def _bookmark(card: Element) -> list[Node]:
    link = card.find("a")
    url = link.attrs.get("href", "") if link else ""
    title = line_of(card.with_class("kg-bookmark-title")) or url
    paragraph = _link(url, title)
    if description := line_of(card.with_class("kg-bookmark-description")):
        paragraph.children += [Element("br"), description]
    if caption := _caption(card):
        return [Element("figure", children=[paragraph, *caption])]
    return [paragraph]


def _gallery(card: Element) -> list[Node]:
    pictures: list[Node] = [each for each in card.elements() if each.tag == "img"]
    return [Element("figure", {"class": "gallery"}, pictures + _caption(card))] if pictures else []


def _callout(card: Element) -> list[Node]:
    text = card.with_class("kg-callout-text") or card
    emoji = line_of(card.with_class("kg-callout-emoji"))
    start: list[Node] = [f"{emoji} "] if emoji else []
    has_blocks = any(isinstance(child, Element) and child.tag in ("p", "ul", "ol") for child in text.children)
    inner: list[Node] = (
        [*([Element("p", children=[emoji])] if emoji else []), *text.children]
        if has_blocks
        else [Element("p", children=[*start, *text.children])]
    )
    return [Element("blockquote", children=inner)]


def _toggle(card: Element) -> list[Node]:
    heading = line_of(card.with_class("kg-toggle-heading-text"))
    content = card.with_class("kg-toggle-content")
    summary = Element("summary", children=[heading])
    return [Element("details", children=[summary, *(content.children if content else [])])]


def _button(card: Element) -> list[Node]:
    link = card.find("a")
    return [_link(link.attrs.get("href", ""), line_of(link))] if link else []


def _file(card: Element) -> list[Node]:
    link = card.find("a")
    if not link:
        return []
    name = line_of(card.with_class("kg-file-card-filename"))
    title = line_of(card.with_class("kg-file-card-title")) or name or link.attrs.get("href", "")
    paragraph = _link(link.attrs.get("href", ""), title)
    details = [line_of(card.with_class(f"kg-file-card-{part}")) for part in ("caption", "filesize")]
    if shown := ", ".join(filter(None, details)):
        paragraph.children.append(f" ({shown})")
    return [paragraph]


def _audio(card: Element) -> list[Node]:
    player = card.find("audio")
    if not player:
        return []
    sound = Element("audio", {"controls": "", "src": player.attrs.get("src", "")})
    title = line_of(card.with_class("kg-audio-title"))
    caption = [Element("figcaption", children=[title])] if title else []
    return [Element("figure", children=[sound, *caption])]


def _video(card: Element) -> list[Node]:
    player = card.find("video")
    if not player:
        return []
    kept = {name: player.attrs[name] for name in ("src", "poster", "width", "height") if player.attrs.get(name)}
    film = Element("video", {"controls": "", **kept})
    return [Element("figure", children=[film, *_caption(card)])]


def _unwrapped(card: Element) -> list[Node]:
    """Return texts, pictures and links of a card in their order, without its boxes."""
    kept: list[Node] = []
    for child in card.children:
        if isinstance(child, str):
            if child.strip():
                kept.append(Element("p", children=[child.strip()]))
        elif isinstance(child, Element) and child.tag not in _OF_PLAYERS:
            if child.tag in ("div", "section", "header"):
                kept += _unwrapped(child)
            elif child.tag == "a":
                kept.append(_link(child.attrs.get("href", ""), line_of(child)))
            elif child.tag == "img":
                kept.append(Element("p", children=[child]))
            else:
                kept.append(child)
    return kept


_CARDS: dict[str, Callable[[Element], list[Node]]] = {
    "kg-bookmark-card": _bookmark,
    "kg-gallery-card": _gallery,
    "kg-callout-card": _callout,
    "kg-toggle-card": _toggle,
    "kg-button-card": _button,
    "kg-file-card": _file,
    "kg-audio-card": _audio,
    "kg-video-card": _video,
    "kg-header-card": _unwrapped,
    "kg-product-card": _unwrapped,
    "kg-cta-card": _unwrapped,
    "kg-call-to-action-card": _unwrapped,
}
