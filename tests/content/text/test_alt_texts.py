"""Pictures without alt text in Markdown."""

import pytest

from sitecms.content.text.alt_texts import markdown_lacks_alt


@pytest.mark.parametrize("text", ["![](media/sea.png)", "See ![ ](https://tide.example/sea.png).", "- ![](sea.png)"])
def test_image_without_description_is_found(text: str) -> None:
    """Wherever it stands in a text."""
    assert markdown_lacks_alt(text)


@pytest.mark.parametrize(
    "text", ["![The sea](media/sea.png)", "Write `![](sea.png)`.", "    ![](sea.png)", "```\n![](sea.png)\n```"]
)
def test_described_image_and_code_lack_nothing(text: str) -> None:
    """Code that shows how an image is written is none."""
    assert not markdown_lacks_alt(text)
