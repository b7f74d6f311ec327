"""Repair of XML: what is broken, where, and whatever the chunks."""

from hypothesis import given
from hypothesis import strategies as st

from sitecms.importing.formats.xml_repair import XmlRepair

_PARTS = st.sampled_from(
    [
        "<a>",
        "</a>",
        "<![CDATA[",
        "]]>",
        "]]",
        "]",
        ">",
        "&",
        "&amp;",
        "&nbsp;",
        "&#10;",
        "x",
        "\n",
        "\x01",
        "é",
        "<",
        "![",
    ]
)
Repairs = list[tuple[str, int, int]]


def _repaired(data: bytes, sizes: list[int]) -> tuple[str, Repairs]:
    repairs: Repairs = []
    chunks, position = [], 0
    for size in [*sizes, len(data)]:
        chunks.append(data[position : position + size])
        position += size
    text = "".join(XmlRepair(lambda *where: repairs.append(where)).repaired(chunk for chunk in chunks if chunk))
    return text, repairs


@given(st.lists(_PARTS, max_size=30).map("".join), st.lists(st.integers(1, 6), max_size=40))
def test_chunks_do_not_matter(text: str, sizes: list[int]) -> None:
    """A file read in small pieces is repaired as one that is read at once."""
    data = text.encode()
    assert _repaired(data, sizes) == _repaired(data, [])


def test_each_repair_has_its_place() -> None:
    """Line and column are those of the file, from 1."""
    data = b"<a>\n b\x01 &nbsp; & c</a>\n<b><![CDATA[x ]]> y ]]></b>\xff"
    text, repairs = _repaired(data, [])
    assert text == "<a>\n b \xa0 &amp; c</a>\n<b><![CDATA[x ]]]]><![CDATA[> y ]]></b>\ufffd"
    assert [(line, column) for _what, line, column in repairs] == [(2, 3), (2, 5), (2, 12), (3, 15), (3, 28)]


def test_sound_text_stays() -> None:
    """Nothing is changed or repairs without need."""
    data = "<a>é &amp; &#233; <![CDATA[<b> & ]] > \u2028]]></a>".encode()
    assert _repaired(data, []) == (data.decode(), [])
