"""README of an exported folder, which describes its files."""

README = "README.md"
OTHER_README = "README-export.md"


def readme_text(name: str, *, with_trash: bool) -> bytes:
    """Return the text of the README of an export of the site of that name."""
    trash = (
        "| `trash/` | entries of the trash, which no command reads: move a file into `content/` to bring it back |\n"
    )
    return f"""# Files of the site {name}

Written by `sitecms export`. `sitecms load` in this folder makes the same site again, `sitecms preview` shows it.

| Path | Content |
|---|---|
| `site.toml` | settings |
| `redirects.yaml` | redirects, if the site has any |
| `schema/` | fields of page types, collections, components and Single Pages |
| `content/posts/` | posts; those of other locales in a folder of their own |
| `content/pages/` | pages by type; Single Pages in `_single/` |
| `content/collections/` | items, in their order |
| `content/authors.yaml`, `content/categories.yaml`, `content/tags.yaml` | authors and terms |
| `media/` | pictures and other files |
| `templates/`, `assets/`, `translations/` | files of the theme that the site has changed |
{trash if with_trash else ""}
Former addresses of entries stand under `aliases`. Tokens, webhooks and writes that were not applied yet are not
exported.
""".encode()
