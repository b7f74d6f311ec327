"""Addresses within Markdown: each real one is replaced, and nothing else changes."""

import pytest

from sitecms.importing.html.addresses import Use, replace_in_markdown


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[a](/x) and ![b](/y.png 'T')\n", "[a](LINK:/x) and ![b](MEDIA:/y.png 'T')\n"),
        ("Text\n\n- one\n  - [a](/x)\n\n> [b](</y z>)\n", "Text\n\n- one\n  - [a](LINK:/x)\n\n> [b](LINK:/y%20z)\n"),
        ("[a][r] and [r]\n\nText\n\n[r]: /x 'T'\n", "[a][r] and [r]\n\nText\n\n[r]: LINK:/x 'T'\n"),
        ("Text[^1]\n\n[^1]: See [a](/x)\n", "Text[^1]\n\n[^1]: See [a](LINK:/x)\n"),
        ("| a |\n|---|\n| [b](/x) |\n", "| a |\n|---|\n| [b](LINK:/x) |\n"),
        ('<p><img src="/y.png"></p>\n', '<p><img src="MEDIA:/y.png"></p>\n'),
        ('A <a href="/x">b</a>\n', 'A <a href="LINK:/x">b</a>\n'),
        ("`[a](/x)`\n\n```\n[a](/x)\n```\n\n    [a](/x)\n\n\\[a](/x)\n", None),
        ("[r]: /unused\n\nText\n", None),
    ],
)  # fmt: skip
def test_only_real_addresses_are_replaced(text: str, expected: str | None) -> None:
    """In lists, quotations, tables, definitions, footnotes and raw HTML; never in code."""

    def marked(address: str, use: Use) -> str:
        return f"{use.name}:{address}"

    assert replace_in_markdown(text, marked) == (text if expected is None else expected)
