"""Readers by kind of source, each imported when it is used."""

from collections.abc import Mapping

from sitecms.documents import suggest
from sitecms.errors import InvalidRequest
from sitecms.importing.reader import Reader
from sitecms.importing.readers.markdown.generators import is_generator_site
from sitecms.importing.source import Source
from sitecms.plugins.site_plugins import IMPORTERS, SitePlugins, resolve
from sitecms.plugins.values import Importer

_MARKDOWN = "markdown.reader"
_NO_PLUGINS = SitePlugins()
_LEFT_IN_SITES = frozenset({"wordpress", "ghost", "blogger"})
"""Kinds whose exports often lie in the folder of the site that was made of them."""


def importers() -> Mapping[str, Importer]:
    """Return the built-in importers, in the order of detection: the first one that recognises a source reads it."""
    return {
        "wordpress": _importer("a WordPress export (WXR)", "wordpress.reader"),
        "ghost": _importer("a Ghost export (JSON)", "ghost.reader"),
        "blogger": _importer("a backup of Blogger (Atom)", "blogger"),
        "medium": _importer("an archive of Medium (zip)", "medium"),
        "substack": _importer("an export of Substack (zip)", "substack"),
        "contentful": _importer("a Contentful export (JSON)", "contentful.reader"),
        "hosted": _importer("the address of a /v2 read API", "hosted.reader"),
        "notion": _importer("an export of Notion (Markdown and CSV, or HTML)", "notion.reader"),
        "markdown": _importer("a folder of Markdown", _MARKDOWN),
        "jekyll": _importer("a site of Jekyll or Octopress", _MARKDOWN, "jekyll"),
        "hugo": _importer("a site of Hugo", _MARKDOWN, "hugo"),
        "zola": _importer("a site of Zola", _MARKDOWN, "zola"),
        "eleventy": _importer("a site of Eleventy", _MARKDOWN, "eleventy"),
        "astro": _importer("a site of Astro", _MARKDOWN, "astro"),
        "pelican": _importer("a site of Pelican", _MARKDOWN, "pelican"),
        "hexo": _importer("a site of Hexo", _MARKDOWN, "hexo"),
    }


def _importer(title: str, module: str, variant: str = "") -> Importer:
    """Return the importer in a module of this folder; a variant reads only what somebody names it for."""
    address = f"{__name__}.{module}"
    return Importer(title, f"{address}:reader", "" if variant else f"{address}:detect", variant)


def detect(source: Source, plugins: SitePlugins = _NO_PLUGINS) -> str:
    """Return the kind of the source by its content; plug-ins are asked first.

    Raises InvalidRequest if no reader recognises it, PluginFailed.
    """
    kinds = plugins.named(IMPORTERS, "importer")
    for kind in sorted(kinds, key=lambda kind: kind in importers()):
        with plugins.blaming(IMPORTERS, kind):
            if kinds[kind].detect and resolve(kinds[kind].detect)(source):
                return "markdown" if kind in _LEFT_IN_SITES and is_generator_site(source) else kind
    known = "; ".join(f"{kind}: {each.title}" for kind, each in kinds.items())
    raise InvalidRequest(f"{source} is not a known export. Name its kind with --from ({known}).")


def open_reader(kind: str, plugins: SitePlugins = _NO_PLUGINS) -> Reader:
    """Return a new reader of that kind. Raises InvalidRequest if there is none."""
    kinds = plugins.named(IMPORTERS, "importer")
    if kind not in kinds:
        raise InvalidRequest(f'There is no kind of source "{kind}": {suggest(kind, list(kinds))}.')
    reader: Reader = resolve(kinds[kind].reader)(*([kinds[kind].variant] if kinds[kind].variant else []))
    return reader
