"""Posts: one Markdown file each."""

from collections.abc import Mapping
from functools import partial
from typing import Any

import orjson
from msgspec import Struct
from msgspec.structs import replace

from sitecms.actions.exporting.entry_files import FormerPaths, file_name, originals_of, post_facts
from sitecms.actions.exporting.media_paths import MediaPaths
from sitecms.actions.loading.reading.files import ContentFile
from sitecms.actions.loading.reading.media_import import FileMedia
from sitecms.actions.loading.reading.post_front_matter import key_aliases
from sitecms.actions.syncing.edits import Edit, Plan, removed_files
from sitecms.actions.syncing.media_places import place_media
from sitecms.actions.syncing.site_files import TIMES, SiteFiles, is_same_moment
from sitecms.actions.syncing.written_form import in_order, new_form, time_in, time_text
from sitecms.actions.writing.save_context import columns_of, default_author
from sitecms.content.addresses import NO_ADDRESSES
from sitecms.content.author import Author
from sitecms.content.change import EntryChange
from sitecms.content.entry import FIELDS, Entry
from sitecms.content.kinds import EntryKind
from sitecms.content.permalink import day_of
from sitecms.content.status import Status
from sitecms.content.term import TERM_FIELDS, Term, name_key
from sitecms.documents import FrontMatter, read_front_matter
from sitecms.documents.comparison import apply_changes, is_same
from sitecms.documents.reading import FENCE
from sitecms.documents.rewriting import rewrite_front_matter, rewrite_yaml
from sitecms.errors import NotFound
from sitecms.store.database import Session, Transaction
from sitecms.store.entries.authors import find_author_slug
from sitecms.store.entries.bodies import find_markdown
from sitecms.store.entries.entry_rows import find_identity, find_named, find_variants
from sitecms.store.entries.versions import VERSIONS
from sitecms.store.site_state.file_changes import note_file_change
from sitecms.store.site_state.loaded_files import LoadedFile

_DRAFT = "draft"


class _PostInFile(Struct, frozen=True):
    """A post as its file has it: what was read, and the values that follow from it."""

    change: EntryChange
    front: FrontMatter
    media: FileMedia


def plan_post(site: SiteFiles, session: Session, post_id: int, loaded: LoadedFile | None, keep_as: str) -> Plan:
    """Return the edits that make the file of a post say what the store has; one that goes is kept as `keep_as`."""
    try:
        post = VERSIONS[EntryKind.POST].get(session, post_id)
    except NotFound:
        return _removal(site, session, post_id, loaded, keep_as)
    post = _with_former_paths(site, session, post)
    file = site.current(loaded) if loaded else None
    if loaded is not None and file is not None:
        return _change(site, session, post, loaded, file)
    return _addition(site, session, post, keep_as)


def _removal(site: SiteFiles, session: Session, post_id: int, loaded: LoadedFile | None, keep_as: str) -> Plan:
    """Return the plan that removes the file of a post in the trash."""
    file = site.current(loaded) if loaded else None
    edits = (Edit(file.path, file.file.read_bytes(), None),) if file else ()
    trashed = find_identity(session, EntryKind.POST, post_id)
    others = partial(_note_translations, site, trashed.group_id, post_id) if trashed and trashed.group_id else None
    return Plan(edits, keep_as=keep_as, gone=loaded.path if loaded else "", note_others=others)


def _note_translations(site: SiteFiles, group_id: int, post_id: int, transaction: Transaction) -> None:
    """Note the other posts of a locale group: their files name the slug of the original."""
    for locale, sibling_id in find_variants(transaction, group_id).items():
        if locale in site.settings.locales and sibling_id != post_id:
            note_file_change(transaction, EntryKind.POST, sibling_id)


def _with_former_paths(site: SiteFiles, session: Session, post: Entry) -> Entry:
    """Return the post with its former addresses as aliases, but those that another post has now."""
    wide = FormerPaths(session, site.settings, (post,), ()).post(post)
    former = (path for path in wide.aliases if path not in post.aliases)
    free = [
        path
        for path in former
        if find_named(session, EntryKind.POST, "", path.strip("/").rpartition("/")[2]) in (None, post.id)
    ]
    return replace(post, addresses=post.addresses.with_aliases(post.locale, free))


def _change(site: SiteFiles, session: Session, post: Entry, loaded: LoadedFile, file: ContentFile) -> Plan:
    """Return the plan that changes the file of a post where it says something else."""
    markdown = find_markdown(session, post.id)
    before = file.file.read_bytes()
    there = _read(site, session, file, loaded, post)
    old, old_original = _post_of(session, post, there.change, loaded, site), there.change.translation_of
    texts = [orjson.dumps(each, default=str).decode() for each in (_plain(post), _plain(old))]
    media = place_media(session, site.folder, [*texts, markdown or ""], loaded)
    original = _original_of(session, site, post)
    old_facts = _facts(site, old, old_original, media)
    new_facts = _facts(site, post, original, media)
    for key in TERM_FIELDS:  # the spelling of the file counts
        if [name_key(name) for name in old_facts.get(key, ())] == [name_key(name) for name in new_facts.get(key, ())]:
            new_facts.pop(key, None)
            new_facts |= {key: old_facts[key]} if key in old_facts else {}
    data = _merged(there.front.data, old_facts, new_facts, site)
    data, body = _with_body(data, there, post, markdown, media)
    after = rewrite_front_matter(before.decode("utf-8"), data, body).encode()
    others = partial(_note_translations, site, post.group_id, post.id) if old.slug != post.slug else None
    row = partial(_row, site, file.path, loaded, post)
    return Plan((Edit(file.path, before, after),), media.copies(), row=row, note_others=others)


def _addition(site: SiteFiles, session: Session, post: Entry, keep_as: str) -> Plan:
    """Return the plan that gives a post a file: the one that it had before it was deleted, else a new one."""
    state = site.settings.state_dir
    kept = removed_files(state, keep_as)
    path = next(iter(kept), _path_of(site, post))
    there = site.check_free(session, path)
    markdown = find_markdown(session, post.id)
    media = place_media(session, site.folder, [orjson.dumps(_plain(post), default=str).decode(), markdown or ""], None)
    after = there if there is not None else kept.get(path)
    if after is None:
        fields = site.writer(media, omits_unset=True).post_fields(post)
        facts = new_form(post_facts(post, _original_of(session, site, post), media, fields), site)
        after = _new_text(facts, post, markdown, media).encode()
    row = partial(_row, site, path, None, post)

    others = partial(_note_translations, site, post.group_id, post.id)

    def finish(transaction: Transaction) -> None:
        if kept:  # its text is that from before the deletion
            note_file_change(transaction, post.kind, post.id)

    return Plan((Edit(path, there, after),), media.copies(), keep_as, row=row, note_others=others, finish=finish)


def _new_text(facts: dict[str, Any], post: Entry, markdown: str | None, media: MediaPaths) -> str:
    """Return the text of a new file; the body is the Markdown, else HTML."""
    body = media.html(post.body) if markdown is None else media.markdown(markdown)
    if markdown is None and body:
        facts = in_order(facts, {**facts, "format": "html"})
    front = rewrite_yaml("", facts)
    end = "" if markdown is None or body.endswith("\n") else "\n"  # in HTML it would be content
    return f"{FENCE}\n{front}{FENCE}\n{body}{end}"


def _path_of(site: SiteFiles, post: Entry) -> str:
    """Return the path of the file of a new post."""
    folder = "" if post.locale == site.settings.default_locale else f"{post.locale}/"
    day = day_of(post.published_at or post.created_at, site.settings.timezone)
    name = site.settings.files.names
    for key, text in (("year", f"{day:%Y}"), ("month", f"{day:%m}"), ("day", f"{day:%d}")):
        name = name.replace(f"{{{key}}}", text)
    return f"content/posts/{folder}{name.replace('{slug}', file_name(post.slug))}.md"


def _read(site: SiteFiles, session: Session, file: ContentFile, loaded: LoadedFile | None, post: Entry) -> _PostInFile:
    """Read the file as a load does. Raises InvalidFiles."""
    read = site.read(session, file, loaded, [orjson.dumps(_plain(post), default=str).decode()])
    (entry,) = read.entries
    change = entry.change(post.id)
    if site.schema.post_fields:
        ((version,),) = site.versions(session, read, (entry,))
        change = change.with_values(fields=version.fields)
    return _PostInFile(change, read_front_matter(file.file, file.path), read.media)


def _row(site: SiteFiles, path: str, loaded: LoadedFile | None, post: Entry, session: Session) -> LoadedFile | None:
    file = site.find(path, loaded)
    if file is None:
        return None
    there = _read(site, session, file, loaded, post)
    return site.record(path, loaded, ((post.kind.value, post.id),), there.media.used)


def _post_of(session: Session, post: Entry, change: EntryChange, loaded: LoadedFile, site: SiteFiles) -> Entry:
    """Return the post that a load would make of its file; without a time of publication where the file says none."""
    version, values = change.only, columns_of(change, change.only, loaded.loaded_at)
    named = version.author or default_author(session, site.settings.owner)
    author = Author(find_author_slug(session, named) or named)
    terms = {
        key: tuple(Term(kind, "", str(name)) for name in getattr(version, key)) for key, kind in TERM_FIELDS.items()
    }
    return replace(
        post,
        locale=version.locale,
        slug=change.slug,
        title=change.title or "",
        status=version.status,
        author=author,
        created_at=values["created_at"],
        updated_at=values["updated_at"],
        published_at=version.times.published_at,
        scheduled_at=values["scheduled_at"],
        featured_image=version.featured_image,
        featured_image_alt=version.featured_image_alt,
        body=version.body,
        summary=version.summary,
        seo_title=version.seo_title,
        meta_description=version.meta_description,
        addresses=change.addresses or NO_ADDRESSES,
        fields=version.fields,
        **terms,
    )


def _facts(site: SiteFiles, post: Entry, translation_of: str, media: MediaPaths) -> dict[str, Any]:
    return post_facts(post, translation_of, media, site.writer(media).post_fields(post))


def _original_of(session: Session, site: SiteFiles, post: Entry) -> str:
    """Return the slug of the post that this one is a translation of, "" for none."""
    variants = find_variants(session, post.group_id)
    ids = {post.id, *(variants[locale] for locale in site.settings.locales if locale in variants)}
    original = originals_of(VERSIONS[post.kind].of(session, [*ids]), site.settings.default_locale)
    found = original[post.group_id]
    return "" if found.id == post.id else found.slug


def _plain(post: Entry) -> dict[str, Any]:
    return {"image": post.featured_image, "body": post.body, "fields": dict(post.fields)}


def _merged(
    written: Mapping[str, Any], old: Mapping[str, Any], new: Mapping[str, Any], site: SiteFiles
) -> dict[str, Any]:
    """Return the front matter with what differs between the two; other keys stay as they are written."""
    aliases = key_aliases()
    names = {aliases[key]: key for key in written if key in aliases and key != _DRAFT and written[key] is not None}
    result = dict(written)
    for key in dict.fromkeys((*old, *new)):
        if key in old and key in new and is_same(old[key], new[key]):
            continue
        name = names.get(key, key)
        if key == FIELDS:
            _merge_fields(result, old.get(FIELDS, {}), new.get(FIELDS, {}))
        elif key == "status" and _DRAFT in written:
            result.pop(_DRAFT)
            result |= {"status": new[key]} if new[key] == Status.SCHEDULED else {_DRAFT: new[key] == Status.DRAFT}
        elif key in TIMES and is_same_moment(result.get(name), new.get(key), site.zone):
            continue
        elif key not in new:
            result.pop(name, None)
        elif key in TIMES:
            result[name] = time_text(new[key], time_in(written, name), site)
        else:
            result[name] = apply_changes(result.get(name), old.get(key), new[key])
    return in_order(written, result)


def _merge_fields(result: dict[str, Any], old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
    """Change the fields of a post in its front matter: under `fields`, or at the top where they are written there."""
    under = dict(result.get(FIELDS) or {})
    for slug in dict.fromkeys((*old, *new)):
        if slug in old and slug in new and is_same(old[slug], new[slug]):
            continue
        place = result if slug in result and slug not in under else under
        if slug in new:
            place[slug] = apply_changes(place.get(slug), old.get(slug), new[slug])
        else:
            place.pop(slug, None)
    if under or FIELDS in result:
        result[FIELDS] = under


def _with_body(
    data: dict[str, Any], there: _PostInFile, post: Entry, markdown: str | None, media: MediaPaths
) -> tuple[dict[str, Any], str]:
    """Return front matter and text of the file; what became rich text is HTML."""
    body = there.front.body
    if markdown is not None:
        before = there.change.only.markdown
        if before is not None and markdown.strip("\n") == before.strip("\n"):
            return data, body
        front = {key: value for key, value in data.items() if key != "format"}
        return front if there.change.only.markdown is None else data, media.markdown(markdown)
    if there.change.only.markdown is None and post.body == there.change.only.body:
        return data, body
    return {**data, "format": "html"}, media.html(post.body)
