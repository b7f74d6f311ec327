"""Generators: one class for each, recognised by its configuration, the more special ones first."""

from collections.abc import Mapping

from sitecms.importing.reader import ReaderOptions
from sitecms.importing.readers.markdown.generators.astro import Astro
from sitecms.importing.readers.markdown.generators.eleventy import Eleventy
from sitecms.importing.readers.markdown.generators.generator import Generator
from sitecms.importing.readers.markdown.generators.hexo import Hexo
from sitecms.importing.readers.markdown.generators.hugo import Hugo
from sitecms.importing.readers.markdown.generators.jekyll import Jekyll, is_octopress
from sitecms.importing.readers.markdown.generators.pelican import Pelican
from sitecms.importing.readers.markdown.generators.plain import Plain
from sitecms.importing.readers.markdown.generators.zola import Zola
from sitecms.importing.source import Source

GENERATORS: Mapping[str, type[Generator]] = {
    "astro": Astro,
    "eleventy": Eleventy,
    "pelican": Pelican,
    "zola": Zola,
    "hexo": Hexo,
    "jekyll": Jekyll,
    "hugo": Hugo,
}
MAX_DEPTH = 2
"""Deepest folder in which the root of a site is looked for, as in an archive with one folder above all."""


def open_generator(source: Source, options: ReaderOptions, wanted: str = "") -> Generator:
    """Return the generator of the source: the wanted one, or the one that recognises its nearest folder."""
    names = [file.name for file in source.files]
    inside: dict[str, list[str]] = {}
    for name in names:
        for root in _folders(name):
            inside.setdefault(root, []).append(name[len(root) :])
    for root in sorted(inside, key=lambda root: (root.count("/"), root)):
        inner = frozenset(inside[root])
        for name, known in GENERATORS.items():
            if wanted in ("", name) and known.recognises(inner, source, root):
                generator = known(source, root, options)
                if name == "hexo" and not wanted and is_octopress(generator.config):
                    return Jekyll(source, root, options)
                return generator
    return GENERATORS.get(wanted, Plain)(source, _common(names), options)


def is_generator_site(source: Source) -> bool:
    """Return whether the source is a folder with the configuration of a generator at its root."""
    names = frozenset(file.name for file in source.files)
    return any(known.recognises(names, source, "") for known in GENERATORS.values())


def _folders(name: str) -> list[str]:
    parts = name.split("/")[:-1][:MAX_DEPTH]
    return ["", *("/".join(parts[: count + 1]) + "/" for count in range(len(parts)))]


def _common(names: list[str]) -> str:
    """Return the folder above all files, as archives have one; "" if there is none."""
    tops = {name.partition("/")[0] for name in names}
    return f"{next(iter(tops))}/" if len(tops) == 1 and all("/" in name for name in names) else ""
