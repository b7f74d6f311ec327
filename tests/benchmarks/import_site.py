"""How fast `sitecms import` reads large sources, and how much memory it takes.

    python -m tests.benchmarks.import_site SCRATCH --wordpress 20000 100000 --markdown 5000

A WordPress export of N posts of about 8 KB (paragraphs, headings, lists, code, links to other posts, pictures), and a
Jekyll folder of N posts of about 7 KB with links between their files. Each row has entries a second, entries for each
second of processor time, and the peak of memory of all processes together (proportional set size), taken in the same
run. Media are not downloaded. Equal arguments make equal sources.
"""

import argparse
import random
import resource
import subprocess
import sys
from collections.abc import Sequence
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, sleep

from tests.benchmarks.build_site import held_by_all
from tests.benchmarks.synthetic import paragraph
from tests.importing.wxr import HEAD, TAIL, item

START = datetime(2008, 1, 1, 10)  # noqa: DTZ001 - WordPress writes local times
APART = timedelta(hours=1)
SAMPLE_SECONDS = 0.5
TEXTS = 300
"""How many different texts there are; the links in them differ from post to post."""


def main() -> None:
    """Make the sources and measure the import of each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scratch", type=Path)
    parser.add_argument("--wordpress", nargs="*", type=int, default=[])
    parser.add_argument("--markdown", nargs="*", type=int, default=[])
    given = parser.parse_args()
    for count in given.wordpress:
        source = given.scratch / f"wordpress-{count}.xml"
        if not source.is_file():
            write_wordpress(source, count)
        measure(f"WordPress {count}", count, source, given.scratch)
    for count in given.markdown:
        source = given.scratch / f"jekyll-{count}"
        if not source.is_dir():
            write_jekyll(source, count)
        measure(f"Markdown {count}", count, source, given.scratch)


def measure(name: str, count: int, source: Path, scratch: Path) -> None:
    """Import a source into a new site of its own, which no other run writes to, and print a row."""
    with TemporaryDirectory(prefix="site-", dir=scratch) as folder:
        before, started = _cpu_seconds(), perf_counter()
        command = [sys.executable, "-m", "sitecms", "import", f"{folder}/site", str(source), "--media", "skip"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        peak = 0
        while process.poll() is None:
            peak = max(peak, held_by_all(process.pid))
            sleep(SAMPLE_SECONDS)
        seconds, cpu = perf_counter() - started, _cpu_seconds() - before
    if process.returncode:
        sys.exit(f"{name}: the import ended with {process.returncode}")
    size = sum(each.stat().st_size for each in ([source] if source.is_file() else source.rglob("*.md")))
    sys.stdout.write(
        f"{name}: {size / 1e6:.0f} MB, {seconds:.1f} s, {count / seconds:.0f} entries/s, "
        f"{count / cpu:.0f} for each second of processor time, peak {peak / 1e6:.0f} MB\n"
    )
    sys.stdout.flush()


def _cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def write_wordpress(path: Path, count: int) -> None:
    """Write an export of so many posts."""
    chance = random.Random(count)
    texts = [_texts(chance, 14) for _number in range(TEXTS)]
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as file:
        file.write(HEAD)
        for number in range(1, count + 1):
            at = START + APART * number
            link = f"https://old.example/{at:%Y/%m}/post-{number}/"
            other = max(1, number - chance.randrange(1, 500))
            target = f"https://old.example/{START + APART * other:%Y/%m}/post-{other}/"
            terms = [("category", f"kind-{number % 12}", f"Kind {number % 12}")]
            terms += [("post_tag", f"tag-{each}", f"Tag {each}") for each in chance.sample(range(400), 3)]
            content = _html(
                texts[number % TEXTS], target, f"{at:%Y/%m}/picture-{number}.jpg", is_classic=number % 3 == 0
            )
            time = f"{at:%Y-%m-%d %H:%M:%S}"
            file.write(item(number, f"Post number {number}", content, link=link, local=time, utc=time, terms=terms))
        file.write(TAIL)


def _html(texts: Sequence[str], target: str, picture: str, *, is_classic: bool) -> str:
    """Return a body as the classic editor or that of blocks writes it."""
    parts = [f"<p>{text}</p>" for text in texts]
    parts[1] = f'<p>{texts[1]} <a href="{target}">as told before</a> and <strong>more</strong>.</p>'
    parts[3] = f"<h2>{texts[3][:40]}</h2>"
    parts[5] = "<ul>" + "".join(f"<li>{text[:60]}</li>" for text in texts[:4]) + "</ul>"
    parts[7] = f'<pre class="wp-block-code"><code>for x in range(3):\n    print("{texts[7][:30]}")\n</code></pre>'
    image = f'<img src="https://old.example/wp-content/uploads/{picture}" alt="A picture"/>'
    parts[9] = f'<figure class="wp-block-image">{image}<figcaption>{texts[9][:50]}</figcaption></figure>'
    if is_classic:
        return "\n\n".join(part.removeprefix("<p>").removesuffix("</p>") for part in parts)
    kinds = {3: "heading", 5: "list", 7: "code", 9: "image"}
    names = [kinds.get(number, "paragraph") for number in range(len(parts))]
    blocks = (f"<!-- wp:{name} -->\n{part}\n<!-- /wp:{name} -->" for name, part in zip(names, parts, strict=True))
    return "\n\n".join(blocks)


def write_jekyll(folder: Path, count: int) -> None:
    """Write a folder of so many posts."""
    chance = random.Random(count)
    texts = [_texts(chance, 13) for _number in range(TEXTS)]
    (folder / "_posts").mkdir(parents=True)
    (folder / "_config.yml").write_text('title: Old Tide\nurl: "https://old.example"\npermalink: pretty\n')
    for number in range(1, count + 1):
        at = START + APART * number
        other = max(1, number - chance.randrange(1, 500))
        link = f"[before]({START + APART * other:%Y-%m-%d}-post-{other}.md)"
        parts = list(texts[number % TEXTS])
        parts[1] = f"{parts[1]} {link} and **more**, *really* [out](https://example.org/{number})."
        parts[3] = f"## {parts[3][:40]}"
        parts[5] = "\n".join(f"- {text[:60]}" for text in parts[:4])
        parts[7] = f'```python\nfor x in range(3):\n    print("{parts[7][:30]}")\n```'
        terms = f"categories: [kind-{number % 12}]\ntags: [a, b, tag-{number % 400}]"
        head = f"---\ntitle: Post number {number}\n{terms}\n---\n"
        name = f"{at:%Y-%m-%d}-post-{number}.md"
        (folder / "_posts" / name).write_text(head + "\n\n".join(parts) + "\n", encoding="utf-8")


def _texts(chance: random.Random, count: int) -> list[str]:
    return [paragraph(chance, 85) for _number in range(count)]


if __name__ == "__main__":
    main()
