"""The Markdown of made posts, with what the posts of real sites have.

Of 9,357 texts of 46 public sites 28 % are plain: paragraphs, headings, lists, quotes, code, links and pictures alone.
The others have raw HTML, definitions of links, bare addresses, tables, footnotes or definition lists. SHARES says how
many posts have each; that the six together leave 28 % plain is what was counted, the share of each is an estimate. A
post that has a feature has it one to three times.
"""

import random
import re
from collections.abc import Mapping, Sequence

from tests.benchmarks.synthetic import paragraph

PICTURES = 20
MOST = 3
"""How often a post has a feature, at most."""
SHARES: Mapping[str, float] = {
    "link": 0.85,
    "heading": 0.75,
    "list": 0.65,
    "picture": 0.50,
    "code": 0.35,
    "quote": 0.20,
    "raw HTML": 0.45,
    "link definition": 0.20,
    "bare address": 0.15,
    "table": 0.15,
    "footnote": 0.10,
    "definition list": 0.03,
}
PLAIN = frozenset({"link", "heading", "list", "picture", "code", "quote"})
"""What a text may have and still count as plain."""
EXAMPLES: Mapping[str, Sequence[str]] = {
    "link": (
        "@line [@name](/blog/post-@post/) *@name* @line **@name** @line",
        "@line [@name](https://example.org/@post?from=blog#@label) @line `x = @post` @line",
    ),
    "heading": ("## @name\n\n@line @line", "### @name\n\n@line @line"),
    "list": (
        "- @line\n- **@name** @line\n- [@name](/blog/post-@post/)\n  - @line\n  - @line\n- @line",
        "1. @line\n2. @line `x = @post`\n3. @line",
    ),
    "picture": ("![@name](/pictures/@picture.png)", '@line\n\n![@name](/pictures/@picture.png "@name")\n\n@line'),
    "code": (
        (
            '```python\ndef rain(path: str) -> float:\n    """@line"""\n    with open(path) as lines:\n'
            "        return sum(float(line) * 2.54 for line in lines)  # @name\n\n\n"
            'for day in range(@post):\n    print(f"{day}: {rain(str(day))} cm")\n```'
        ),
        '```json\n{"name": "@name", "rain": [@post, 2.54, null], "wet": true, "text": "@line"}\n```',
        '```bash\nset -e\nfor file in *.txt; do\n  # @line\n  sort "$file" | uniq -c > "out/$file"\ndone\n```',
        "```\n@line\n    @line\n```",
    ),
    "quote": ("> @line @line\n>\n> @name",),
    "raw HTML": (
        "<details>\n<summary>@name</summary>\n<p>@line <em>@name</em> @line</p>\n</details>",
        (
            '<figure>\n<img src="/pictures/@picture.png" alt="@name" width="320" height="180">\n'
            "<figcaption>@line</figcaption>\n</figure>"
        ),
        "@line Press <kbd>Ctrl</kbd>+<kbd>C</kbd>.<br>\n@line H<sub>2</sub>O &amp; @name",
        (
            '<table>\n<tr><th>@name</th><th>@name</th></tr>\n<tr><td>@post</td><td><a href="https://example.org/@post">'
            "@name</a></td></tr>\n</table>"
        ),
        '<div align="center">\n\n**@name** @line\n\n</div>',
    ),
    "link definition": ('@line [@name][@label] @line\n\n[@label]: https://example.org/@post/ "@name"',),
    "bare address": ("@line https://example.org/@label/@post @line", "@line <https://example.org/@label/@post> @line"),
    "table": (
        (
            "| @name | @name | @name |\n|:---|---:|---|\n| @name | @post | `@label` |\n| @name | @post | **@name** |\n"
            "| @name | @post | [@name](/blog/post-@post/) |"
        ),
    ),
    "footnote": ("@line[^@label] @line\n\n[^@label]: @line",),
    "definition list": ("@name\n: @line\n\n@name\n: @line\n: @line",),
}
_PLACEHOLDER = re.compile("@(line|name|post|label|picture)")


def blog_text(number: int, count: int) -> str:
    """Return the text of one post of so many, to which its links lead; about 500 words on average."""
    rng = random.Random(-1 - number)
    blocks = [paragraph(rng, rng.randint(30, 90)) for _ in range(rng.randint(2, 5))]
    for feature in features(number):
        for _ in range(rng.randint(1, MOST)):
            blocks.insert(rng.randint(1, len(blocks)), _example(rng, feature, count))
    return "\n\n".join(blocks)


def features(number: int) -> list[str]:
    """Return what the text of that number has."""
    rng = random.Random(f"features of {number}")
    return [feature for feature, share in SHARES.items() if rng.random() < share]


def _example(rng: random.Random, feature: str, count: int) -> str:
    label = f"label-{rng.randrange(1_000_000)}"

    def word(match: "re.Match[str]") -> str:
        match match[1]:
            case "line":
                return paragraph(rng, 14)
            case "name":
                return paragraph(rng, 2).rstrip(".")
            case "post":
                return str(rng.randrange(count))
            case "picture":
                return str(rng.randrange(PICTURES))
            case _:
                return label

    return _PLACEHOLDER.sub(word, rng.choice(EXAMPLES[feature]))
