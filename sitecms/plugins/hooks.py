"""The hooks: everything that a plug-in may do. A plug-in implements those it needs, and takes the arguments it needs.

    from sitecms.plugins.hooks import hookimpl

    @hookimpl
    def template_filters():
        return {"shout": str.upper}

Most hooks are called once for a site and return what the plug-in adds, by name; the others are called for each page,
item or event. What a plug-in makes must depend on the arguments, on its source and its settings alone: not on the time,
the network or files of the site. Then an incremental build equals a clean one: name, version, digest of the source and
settings of each plug-in are part of the fingerprints of what it touches. Where a value may also be an address
`module:name`, it is imported when it is needed.
"""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pluggy import HookimplMarker, HookspecMarker

from sitecms.plugins.values import (
    BuildResult,
    EntryChange,
    Exporter,
    FeedItem,
    FieldInput,
    Importer,
    InlineMark,
    LoadResult,
    RenderedPage,
    Site,
)

if TYPE_CHECKING:  # types only: the plug-ins are below what uses them
    import click

    from sitecms.content.fields import FieldType
    from sitecms.content.text.markdown.directives import Directive
    from sitecms.content.text.markdown.shortcodes import ShortcodeCall
    from sitecms.findings import Finding
    from sitecms.site.check.checks import CheckedSite

PROJECT = "sitecms"
hookspec = HookspecMarker(PROJECT)
hookimpl = HookimplMarker(PROJECT)


@hookspec
def settings_schema() -> Mapping[str, object]:  # type: ignore[empty-body]
    """Return the JSON Schema of the plug-in's settings, `[plugins.<name>]` in site.toml.

    Other keys than its `properties` are errors, defaults are filled in. The settings are `site.options` in all other
    hooks. A plug-in without this hook has no settings.

    Example::

        @hookimpl
        def settings_schema():
            return {"type": "object", "properties": {"words_per_minute": {"type": "integer", "default": 200}}}
    """


@hookspec
def markdown_directives(site: Site) -> "Mapping[str, Callable[[Directive], None]]":  # type: ignore[empty-body]
    """Return directives of Markdown by name: blocks between `::: name title {key="value"}` and `:::`.

    The function gets the directive: `title`, `arguments` and `text`, the lines within. It writes with
    `write_html(html)` and `write_content()`, which renders the lines within as Markdown. `report(problem, remedy)` is
    an error with file and line. The HTML is sanitised with the text around it. It is stored when a file is loaded, so
    all files are loaded again when the plug-in changes.

    A `Block` in place of the function declares the form that the studio shows for the directive. In rich text the
    directive is a block if its HTML is one element; text that is written by `write_content()` last in its element is
    formatted in place.

    Example::

        from sitecms.plugins.values import Block, BlockField

        @hookimpl
        def markdown_directives():
            kind = BlockField("kind", "Kind", "choice", choices=("plain", "bright"))
            return {"aside": Block(aside, "Aside", fields=(kind,), content="blocks")}

        def aside(directive):
            directive.write_html(f'<aside class="{directive.arguments.get("kind", "plain")}">')
            directive.write_content()
            directive.write_html("</aside>")
    """


@hookspec
def markdown_marks(site: Site) -> Iterable[InlineMark]:  # type: ignore[empty-body]
    """Return marks within a line of Markdown, each found by a regular expression that begins with its sign.

    The sign begins with a character of punctuation. Code keeps the text as it is written.

    Example::

        from sitecms.plugins.values import InlineMark

        @hookimpl
        def markdown_marks():
            return [InlineMark("[[", r"\\[\\[(\\w{1,20})\\]\\]", lambda match: f"<kbd>{match[1]}</kbd>")]
    """


@hookspec
def formula(site: Site, latex: str, is_block: bool, macros: Mapping[str, str]) -> str | None:
    """Return the MathML of a formula between dollar signs, or None to leave it to what is built in.

    `macros` are the commands of `[markdown.math_macros]` by name. A ValueError says why a formula cannot be converted:
    it becomes a warning with file and line, and the formula is shown as it is written. Formulas are converted when a
    file is loaded, where `[markdown] math` is on. The first plug-in that returns MathML decides.

    Example::

        @hookimpl
        def formula(latex, is_block):
            return f"<math><mtext>{latex}</mtext></math>" if latex.isalpha() else None
    """


@hookspec
def shortcodes(site: Site) -> "Mapping[str, Callable[[ShortcodeCall], str]]":  # type: ignore[empty-body]
    """Return shortcodes by name, as `{{< name key="value" >}}`; the function returns HTML.

    It gets `arguments`, by name or number from 0, and `inner`, the HTML of the text within, None for none. A template
    in `templates/shortcodes` of the same name comes before it. Texts that an import brings keep such shortcodes as they
    are written, in place of a comment.

    Example::

        @hookimpl
        def shortcodes():
            return {"key": lambda call: f"<kbd>{call.arguments[0]}</kbd>"}
    """


@hookspec
def template_filters(site: Site) -> Mapping[str, Callable[..., object]]:  # type: ignore[empty-body]
    """Return filters of templates by name: `{{ post.body|shout }}`.

    HTML that a filter returns is escaped, unless it is `markupsafe.Markup`. A filter may take the context of the page,
    as Jinja's `pass_context` says. An error fails the page, and names plug-in, filter, template and entry.

    Example::

        @hookimpl
        def template_filters():
            return {"shout": str.upper}
    """


@hookspec
def template_functions(site: Site) -> Mapping[str, Callable[..., object]]:  # type: ignore[empty-body]
    """Return functions of templates by name: `{{ stars(3) }}`; as with filters, HTML is escaped.

    Example::

        @hookimpl
        def template_functions():
            return {"stars": lambda number: "★" * number}
    """


@hookspec
def template_values(site: Site) -> Mapping[str, object]:  # type: ignore[empty-body]
    """Return values that every template sees, by name: text, numbers, booleans, None, lists and mappings of them.

    They are computed once for a build and are part of the fingerprints of the pages whose templates name them, so here
    a plug-in may read files of the site.

    Example::

        @hookimpl
        def template_values(site):
            return {"edition": f"{site.name}, second edition"}
    """


@hookspec
def page_rendered(site: Site, page: RenderedPage) -> str | None:
    """Return the changed HTML of a page, or None to leave it. Feeds, sitemaps and redirects are no pages.

    Each plug-in gets what the ones before it in `enabled` have returned.

    Example::

        @hookimpl
        def page_rendered(page):
            return page.html.replace("<table", '<table class="wide"')
    """


@hookspec
def head_additions(site: Site, page: RenderedPage) -> str | None:
    """Return HTML for the end of the page's `<head>`. Other hosts have to be named in `[delivery] csp`.

    Example::

        @hookimpl
        def head_additions(site, page):
            return f'<meta name="generator" content="sitecms for {site.name}">'
    """


@hookspec
def feed_item(site: Site, item: FeedItem) -> str | None:
    """Return the changed HTML of a post in feeds, of the built site and of the API, or None to leave it.

    Example::

        @hookimpl
        def feed_item(item):
            return f'{item.html}<p><a href="{item.url}#comments">Comment</a></p>'
    """


@hookspec
def field_types(site: Site) -> "Mapping[str, type[FieldType] | str]":  # type: ignore[empty-body]
    """Return field types by name: subclasses of `sitecms.content.fields.FieldType`, or addresses of them.

    The class says all about a type: cleaning, JSON, OpenAPI, files, filters and the values of templates. A subclass of
    a built-in type changes only what differs. In the studio and in default templates a type with `template_type` looks
    like that built-in type. All files are loaded again when the plug-in changes.

    Example::

        from sitecms.content.fields.scalar import NumberType

        class RatingType(NumberType):
            template_type = "number"
            input_hint = "1 to 5 stars"

            def clean(self, value, spec, context):
                stars = super().clean(value, spec, context)
                if stars is not None and not 1 <= stars <= 5:
                    context.report("Must be from 1 to 5.")
                return stars

        @hookimpl
        def field_types():
            return {"rating": RatingType}
    """


@hookspec
def field_inputs(site: Site) -> Mapping[str, Callable[[FieldInput], str]]:  # type: ignore[empty-body]
    """Return functions that draw the input of a field type in the studio, by the name of the type.

    The function returns HTML: an input with the given name and id. Label, hint and errors stand around it. It takes the
    place of the input of the type's `template_type`, which has to be one of text, numbers, dates or choices; what is
    sent goes through `clean` of the field type, as text. Scripts and styles in the HTML do not run.

    Example::

        @hookimpl
        def field_inputs():
            return {"rating": rating}

        def rating(field):
            value = field.value or 3
            return f'<input type="range" min="1" max="5" name="{field.name}" id="{field.id}" value="{value}">'
    """


@hookspec
def importers(site: Site) -> Mapping[str, Importer]:  # type: ignore[empty-body]
    """Return importers by the name that `sitecms import --from` takes.

    They are asked in their order which of them recognises a source, those of plug-ins before the built-in ones. The
    site that is imported into names the plug-in, so it exists before: `sitecms init` makes it.

    Example::

        from sitecms.plugins.values import Importer

        @hookimpl
        def importers():
            return {"diary": Importer("a diary", "diary_plugin.reader:DiaryReader", is_diary)}

        def is_diary(source):
            return any(file.name.endswith(".diary") for file in source.files)
    """


@hookspec
def exporters(site: Site) -> Mapping[str, Exporter]:  # type: ignore[empty-body]
    """Return export formats by the name that `sitecms export --to` takes.

    Example::

        from sitecms.plugins.values import Exporter

        @hookimpl
        def exporters():
            return {"titles": Exporter("titles of posts", titles, lambda _: "", "media/", lambda _: ())}

        def titles(contents, media):
            yield "titles.txt", "\\n".join(str(entry) for entry in contents.entries).encode()
    """


@hookspec
def checks(site: Site) -> "Mapping[str, Callable[[CheckedSite], Iterable[Finding]] | str]":  # type: ignore[empty-body]
    """Return checks by name; `sitecms check` calls each with what it has read of the site.

    That is a `CheckedSite` (below). `entries.posts` have no bodies: `whole_posts()` yields posts that have. A check
    returns a `Finding` for each problem; its `kind` is the name of the check. An error in a check is a finding, and
    costs that check alone.

    Example::

        from sitecms.findings import Finding, Severity

        @hookimpl
        def checks():
            return {"shouting": shouting}

        def shouting(checked):
            for post in checked.entries.posts:
                if post.title.isupper():
                    file = checked.entries.sources.of(post)
                    what, remedy = "has a title in capitals", "use small letters"
                    yield Finding(Severity.WARNING, "shouting", what, remedy, place="title", file=file)
    """


@hookspec
def commands(site: Site) -> "Mapping[str, click.Command | str]":  # type: ignore[empty-body]
    """Return commands by name: `sitecms <name>`, in the folder of the site or with it as the first argument.

    A command that takes `sitecms.cli.site_argument.site_argument` gets the settings of the site. The names of built-in
    commands are taken.

    Example::

        import click

        @hookimpl
        def commands(site):
            return {"greet": click.Command("greet", callback=lambda: click.echo(f"Hello {site.name}"))}
    """


@hookspec
def themes(site: Site) -> Mapping[str, Path]:  # type: ignore[empty-body]
    """Return themes by the name that `[theme] name` takes: the folder of each.

    Example::

        from pathlib import Path

        @hookimpl
        def themes():
            return {"harbour": Path(__file__).parent / "harbour"}
    """


@hookspec
def site_loaded(site: Site, result: LoadResult) -> None:
    """Take note of a load of files that changed something.

    Example::

        @hookimpl
        def site_loaded(site, result):
            print(f"{site.name}: {len(result.loaded)} files")
    """


@hookspec
def entry_saved(site: Site, change: EntryChange) -> None:
    """Take note of an entry that was saved, published, unpublished or deleted, by a write, the studio or a load.

    It is called after the change is stored, by the process that made it. An error is logged and costs nothing else.

    Example::

        @hookimpl
        def entry_saved(change):
            print(change.event, change.kind, change.slug)
    """


@hookspec
def entry_published(site: Site, change: EntryChange) -> None:
    """Take note of an entry that readers see from now on, or see changed; `entry_saved` is called before.

    Example::

        @hookimpl
        def entry_published(site, change):
            print(f"{site.url}: {change.slug} is out")
    """


@hookspec
def before_build(site: Site) -> None:
    """Prepare a build: write files of the site, as in `data/` or `assets/`; those in `content/` are loaded before.

    Files that would be equal are not to be written again. `preview` and `check` do not call it. An error is a note of
    the build.

    Example::

        @hookimpl
        def before_build(site):
            (site.folder / "data").mkdir(exist_ok=True)
            (site.folder / "data" / "harbour.yaml").write_text("name: Calm\\n", encoding="utf-8")
    """


@hookspec
def after_build(site: Site, result: BuildResult) -> None:
    """Take note of a build that is published. The output folder is not to be changed: `page_rendered` changes pages.

    An error is a note of the build.

    Example::

        @hookimpl
        def after_build(result):
            print(f"{result.written} written to {result.output}")
    """


@hookspec
def webhook_payload(site: Site, event: str, data: Mapping[str, object]) -> Mapping[str, object] | None:
    """Return keys to add to the `data` of a webhook's message; those that the API declares stay as they are.

    Example::

        @hookimpl
        def webhook_payload(site, event, data):
            return {"site": site.name}
    """


def all_hooks() -> Mapping[str, Callable[..., Any]]:
    """Return every hook by name, in the order of the reference."""
    hooks: tuple[Callable[..., Any], ...] = (
        settings_schema, markdown_directives, markdown_marks, formula, shortcodes, template_filters, template_functions,
        template_values, page_rendered, head_additions, feed_item, field_types, field_inputs, importers, exporters,
        checks, commands, themes, site_loaded, entry_saved, entry_published, before_build, after_build, webhook_payload,
    )  # fmt: skip
    return {each.__name__: each for each in hooks}
