"""`sitecms new`: make content files to complete."""

from pathlib import Path

import click

from sitecms.actions.authoring.new_entry import NewPage, NewPost, Written, new_page, new_post
from sitecms.cli.groups import SuggestingGroup
from sitecms.cli.site_argument import site_argument
from sitecms.clock import now
from sitecms.settings.site import SiteSettings

_title = click.option("--title", required=True, metavar="TEXT", help="Title.")
_slug = click.option("--slug", default="", help="Last part of the address; default: made from the title.")
_published = click.option("--publish/--draft", "published", help="Published at once, or a draft; default: a draft.")


@click.group(cls=SuggestingGroup, epilog='\b\nExample:\n  sitecms new post demo --title "Slack water"')
def new() -> None:
    """Create a content file with every field of the schema and a comment on each."""


@new.command(
    epilog='\b\nExample:\n  sitecms new post demo --title "Aguas muertas" --locale es --translation-of slack-water'
)
@site_argument
@_title
@_slug
@click.option("--locale", default="", help="Locale of the post; default: that of the site.")
@click.option(
    "--author",
    default="",
    metavar="SLUG",
    help="Slug or email of the author; default: the site's owner or only author.",
)
@click.option("--translation-of", default="", metavar="SLUG", help="Slug of the post that this post translates.")
@_published
def post(
    settings: SiteSettings, title: str, slug: str, locale: str, author: str, translation_of: str, published: bool
) -> None:
    """Create a post, and print the path of its file. Nothing is overwritten.

    A translation gets the author, categories, tags and picture of its original.
    """
    _show(new_post(settings, NewPost(title, slug, locale, author, translation_of, published), now()))


@new.command(epilog='\b\nExample:\n  sitecms new page demo --title "Our boats" --type project --locale en --locale es')
@site_argument
@_title
@_slug
@click.option("--type", "page_type", default="", metavar="SLUG", help="Page type; default: a Single Page.")
@click.option("--locale", "locales", multiple=True, help="Locale of the page; may be given several times.")
@_published
def page(
    settings: SiteSettings, title: str, slug: str, page_type: str, locales: tuple[str, ...], published: bool
) -> None:
    """Create a page with every field of its type, and print the path of its file. Nothing is overwritten.

    A page in several locales is one file, with the fields below each locale.
    """
    _show(new_page(settings, NewPage(title, page_type, slug, locales, published), now()))


def _show(written: Written) -> None:
    here = Path.cwd()
    click.echo(written.path.relative_to(here) if written.path.is_relative_to(here) else written.path)
    for note in written.notes:
        click.echo(note, err=True)
