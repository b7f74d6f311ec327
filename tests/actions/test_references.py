"""References are followed level by level, with one look-up a level, and circles end."""

from collections.abc import Mapping
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from sitecms.actions.references import expand_references, target_of, targets_of
from sitecms.content.entry import Entry
from sitecms.content.field_value import FieldValue
from sitecms.content.kinds import EntryKind
from sitecms.content.references import ItemTarget, PageTarget, Target
from sitecms.content.schema import Collection, Component, ContentSchema, FieldSpec, PageType
from tests.support.entries import an_entry

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
LINK = FieldSpec("link", "reference", targets=("node",))
LINKS = FieldSpec("links", "reference", targets=("node",), many=True)
SCHEMA = ContentSchema(
    page_types={
        "guide": PageType(
            "guide",
            "Guide",
            (
                LINK,
                FieldSpec("hero", "component", component="hero"),
                FieldSpec("body", "component_picker", components=("hero",)),
                FieldSpec("rows", "repeater", fields=(LINK,)),
                FieldSpec("note", "short_text"),
            ),
        )
    },
    collections={"node": Collection("node", "Node", "name", (LINKS,))},
    components={"hero": Component("hero", "Hero", (LINK, FieldSpec("rows", "repeater", fields=(LINKS,))))},
)
Graph = dict[int, list[int]]
GRAPHS = st.dictionaries(st.integers(1, 8), st.lists(st.integers(1, 10), max_size=4), min_size=1, max_size=8)


def uri(number: int) -> str:
    return ItemTarget("node", number).uri


def node(number: int, links: list[int]) -> Entry:
    fields: dict[str, FieldValue] = {"links": [uri(link) for link in links]}
    return an_entry(EntryKind.ITEM, number, NOON, type="node", fields=fields)


class Store:
    """Entries to be found, and what was asked for, look-up by look-up."""

    def __init__(self, graph: Graph) -> None:
        self.entries: dict[Target, Entry] = {target_of(entry): entry for entry in nodes(graph)}
        self.asked: list[frozenset[Target]] = []

    def find(self, targets: frozenset[Target]) -> Mapping[Target, Entry]:
        self.asked.append(targets)
        return {target: self.entries[target] for target in targets if target in self.entries}


def nodes(graph: Graph) -> list[Entry]:
    return [node(number, links) for number, links in graph.items()]


def reachable(graph: Graph, start: int, steps: int) -> set[int]:
    """Existing nodes at the end of a path of one to `steps` edges."""
    found: set[int] = set()
    frontier = {start}
    for _ in range(steps):
        frontier = {link for number in frontier for link in graph.get(number, []) if link in graph}
        found |= frontier
    return found


@given(GRAPHS, st.integers(1, 6))
def test_expansion_finds_exactly_the_reachable_entries(graph: Graph, levels: int) -> None:
    """The existing entries within levels - 1 steps, with cycles and missing targets."""
    start = min(graph)
    store = Store(graph)
    found = expand_references([node(start, graph[start])], SCHEMA, levels=levels, find=store.find)
    assert {target.id for target in found if isinstance(target, ItemTarget)} == reachable(graph, start, levels - 1)
    assert all(target_of(entry) == target for target, entry in found.items())


@given(GRAPHS, st.integers(1, 6))
def test_look_ups_are_fewer_than_levels(graph: Graph, levels: int) -> None:
    """However many entries; no look-up is empty or repeats a target that was found."""
    store = Store(graph)
    expand_references(nodes(graph), SCHEMA, levels=levels, find=store.find)
    assert len(store.asked) <= levels - 1
    seen: set[Target] = set()
    for asked in store.asked:
        assert asked
        assert not asked & seen
        seen |= asked & store.entries.keys()


@given(GRAPHS)
def test_cycles_end(graph: Graph) -> None:
    """At any number of levels there are at most as many look-ups as entries, and one for missing targets."""
    store = Store(graph)
    expand_references(nodes(graph), SCHEMA, levels=10_000, find=store.find)
    assert len(store.asked) <= len(graph) + 1


@given(GRAPHS, st.integers(1, 5))
def test_more_levels_find_at_least_as_much(graph: Graph, levels: int) -> None:
    """Each level adds to the one before."""
    start = [node(min(graph), graph[min(graph)])]
    store = Store(graph)
    less = expand_references(start, SCHEMA, levels=levels, find=store.find)
    more = expand_references(start, SCHEMA, levels=levels + 1, find=store.find)
    assert less.items() <= more.items()


def test_one_level_needs_no_look_up() -> None:
    """Level 1 shows no references (API reference, Parameters)."""
    store = Store({1: [2], 2: []})
    assert expand_references(nodes({1: [2]}), SCHEMA, levels=1, find=store.find) == {}
    assert store.asked == []


def test_references_are_found_in_nested_fields() -> None:
    """In fields, components, pickers and repeaters, and repeaters within components; text is no reference."""
    fields: dict[str, FieldValue] = {
        "link": uri(1),
        "hero": {"link": uri(2), "rows": [{"links": [uri(3), uri(4)]}]},
        "body": [{"type": "hero", "fields": {"link": uri(5)}}, {"type": "gone", "fields": {"link": uri(99)}}],
        "rows": [{"link": uri(6)}, {"link": None}],
        "note": uri(98),
    }
    page = an_entry(EntryKind.PAGE, 1, NOON, type="guide", slug="a", title="A", fields=fields)
    assert [target.id for target in targets_of(page, SCHEMA) if isinstance(target, ItemTarget)] == [1, 2, 3, 4, 5, 6]
    assert target_of(page) == PageTarget("guide", "a")


def test_an_entry_without_a_declared_type_has_no_references() -> None:
    """A page type or collection that was removed from the schema hides its references without an error."""
    page = an_entry(EntryKind.PAGE, 1, NOON, type="old", slug="a", title="A", fields={"link": uri(1)})
    item = an_entry(EntryKind.ITEM, 1, NOON, type="old", fields={"links": [uri(1)]})
    assert [*targets_of(page, SCHEMA), *targets_of(item, SCHEMA)] == []
