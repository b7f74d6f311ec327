"""Previews of unsaved forms: the page of the theme, who may ask for it, what is told, and that nothing is stored."""

import re

import pytest
from msgspec.structs import replace

from sitecms.content.kinds import EntryKind
from sitecms.content.status import Status
from sitecms.runtime import Runtime
from sitecms.site.build import build_site
from sitecms.site.dry_run import plan_dry_run
from sitecms.site.options import BuildOptions
from sitecms.site.unsaved.content import PublishedContent, with_entry
from sitecms.site.unsaved.page import UnsavedPages
from sitecms.store.entries.bodies import bodies_of
from sitecms.store.entries.versions import VERSIONS
from tests.support.entries import MakeItem, MakePage, MakePost, give_team_pages

from .conftest import Browser
from .forms import form_of, press

JSON = {"Sec-Fetch-Site": "same-origin", "Accept": "application/json, text/html"}
NONCE = "0123456789abcdef" * 2


def ask(browser: Browser, path: str, **changes: str) -> tuple[int, str]:
    """Ask for the preview of the form that is open, with these values; return status and text."""
    form = form_of(browser)
    for name, value in changes.items():
        form[name.replace("__", ".")] = value
    answered = browser.client.post(path, data=form, headers=JSON)
    return answered.status_code, answered.get_data(as_text=True)


def built(runtime: Runtime) -> dict[str, bytes]:
    """What a build of the site writes, by path."""
    public = runtime.settings.folder / "public"
    assert build_site(runtime.database, runtime.settings, public, BuildOptions(jobs=1)).failed == {}
    return {path.relative_to(public).as_posix(): path.read_bytes() for path in public.rglob("*") if path.is_file()}


def test_page_shows_what_is_typed_and_stores_nothing(editor: Browser, make_post: MakePost, runtime: Runtime) -> None:
    """The title, the text as it would be sanitised, a new tag, the neighbours; no row of the store is written."""
    make_post("older", hours=-2)
    post_id = make_post("calm", tags=("sea",))
    editor.get(f"/studio/posts/{post_id}/")
    before = runtime.database.change_number()
    body = "<p>typed <b>now</b></p><script>alert(1)</script>"
    path = f"/studio/posts/{post_id}/preview/"
    status, html = ask(editor, path, title="Un<b>saved", body=body, tags="sea\nbrand new", nonce=NONCE)
    assert status == 200
    assert "<h1" in html
    assert "Un&lt;b&gt;saved" in html
    assert "<p>typed <b>now</b></p>" in html
    assert "alert(1)" not in html
    assert "brand new" in html
    assert "Older" in html
    assert f'data-nonce="{NONCE}"' in html
    assert runtime.database.change_number() == before
    assert runtime.database.read(VERSIONS[EntryKind.POST].get, post_id).title == "Calm"


def test_new_entries_and_other_kinds_have_previews(
    editor: Browser, make_page: MakePage, make_item: MakeItem, runtime: Runtime
) -> None:
    """A post, a page and an item that are not stored yet, and stored ones; an item without a page is told so."""
    page_id = make_page("caves", {"summary": "before"})
    make_item(1, {"name": "Ann"})
    editor.get("/studio/posts/new/")
    status, html = ask(editor, "/studio/posts/new/preview/", title="First words", body="# H\n\n*so*")
    assert (status, "<em>so</em>" in html, "First words" in html) == (200, True, True)
    editor.get(f"/studio/pages/{page_id}/")
    status, html = ask(editor, f"/studio/pages/{page_id}/preview/?locale=en", fields__summary="typed summary")
    assert (status, "typed summary" in html, "Caves" in html) == (200, True, True)
    editor.get("/studio/pages/new/guide/")
    status, html = ask(editor, "/studio/pages/new/guide/preview/", title="New one", slug="new-one")
    assert (status, "New one" in html) == (200, True)
    editor.get("/studio/collections/team/1/")
    status, text = ask(editor, "/studio/collections/team/1/preview/", fields__name="Bo")
    assert (status, "no page of their own" in text) == (404, True)
    give_team_pages(runtime.database)
    for path in ("/studio/collections/team/1/", "/studio/collections/team/new/"):
        editor.get(path)
        status, html = ask(editor, f"{path}preview/", fields__name="Bo Typed")
        assert (status, "Bo Typed" in html) == (200, True), path


def test_faults_are_told_by_field(editor: Browser, make_post: MakePost) -> None:
    """As a save would tell them: for a script as data, without one as a page."""
    make_post("taken")
    post_id = make_post("calm")
    editor.get(f"/studio/posts/{post_id}/")
    path = f"/studio/posts/{post_id}/preview/"
    assert ask(editor, path, title=" ") == (
        400,
        '{"faults":[{"name":"title","message":"This field may not be blank."}]}',
    )
    assert "already exists" in ask(editor, path, slug="taken")[1]
    form = form_of(editor)
    form["title"] = ""
    answered = editor.client.post(path, data=form, headers={"Sec-Fetch-Site": "same-origin"})
    assert (answered.status_code, answered.content_type) == (400, "text/html; charset=utf-8")
    assert "Nothing that you typed is lost" in answered.get_data(as_text=True)


def test_preview_needs_the_right_to_edit_the_entry(writer: Browser, make_post: MakePost, make_page: MakePage) -> None:
    """Statamic CVE-2026-54244: a writer previews own posts alone, also with the form of another entry."""
    foreign, own = make_post("theirs", author="bo-lind"), make_post("mine", status=Status.DRAFT)
    hidden = make_post("hidden", author="bo-lind", status=Status.DRAFT)
    page_id = make_page("caves")
    writer.get(f"/studio/posts/{own}/")
    assert ask(writer, f"/studio/posts/{own}/preview/", title="My own")[0] == 200
    assert ask(writer, f"/studio/posts/{own}/preview/", author="bo-lind")[0] == 403
    assert ask(writer, f"/studio/posts/{foreign}/preview/", title="Not mine")[0] == 403
    assert ask(writer, f"/studio/posts/{hidden}/preview/", title="Not mine")[0] == 404
    assert ask(writer, f"/studio/pages/{page_id}/preview/")[0] == 403


def test_preview_has_an_origin_of_its_own_and_files_that_it_may_load(editor: Browser, make_post: MakePost) -> None:
    """The page is sandboxed by its own policy; files of the theme are open to it and cannot act as pages."""
    post_id = make_post("calm")
    editor.get(f"/studio/posts/{post_id}/")
    answered = editor.client.post(f"/studio/posts/{post_id}/preview/", data=form_of(editor), headers=JSON)
    policy = answered.headers["Content-Security-Policy"]
    assert policy.startswith("sandbox allow-scripts; default-src 'self'; script-src 'self';")
    assert "unsafe" not in policy
    assert answered.headers["Cache-Control"] == "no-store"
    assert answered.headers["X-Frame-Options"] == "SAMEORIGIN"
    html = answered.get_data(as_text=True)
    assert "sitecms-preview" not in html  # without a nonce no script is added
    for address in re.findall(r'(?:href|src)="(/studio/site/assets/[^"]+)"', html):
        file = editor.client.get(address)
        assert file.status_code == 200, address
        assert file.headers["Access-Control-Allow-Origin"] == "*"
        assert file.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
        assert file.headers["Content-Security-Policy"].endswith("sandbox")
    for address in ("/studio/site/assets/style.css", "/studio/site/media/x.png", "/studio/site/assets/../site.toml"):
        assert editor.client.get(address).status_code == 404, address
    moved = editor.client.get(f"/studio/site/media/{'0' * 32}.png")
    assert (moved.status_code, moved.headers["Location"]) == (302, f"/media/{'0' * 32}.png")


def test_unsaved_page_equals_the_page_of_a_build(make_post: MakePost, runtime: Runtime) -> None:
    """Of a post that nobody changed, but for the addresses; and a draft of another post shows nowhere."""
    ids = [make_post(f"post-{number}", hours=number, body=f"<p>{number}</p>", tags=("a",)) for number in range(6)]
    make_post("secret", status=Status.DRAFT, tags=("a",))
    settings = replace(runtime.settings, url="https://example.org/studio/site")
    published = PublishedContent(runtime.database)
    with runtime.database.reading() as session:
        post = VERSIONS[EntryKind.POST].get(session, ids[3])
        run = plan_dry_run(session, replace(settings, share_images=replace(settings.share_images, enabled=False)))
        (job,) = [each for each in run.plan.pages if each.shows == "post post-3"]
        built = run.environment.get_template("post.html").render(job.context(bodies_of(session, [post.id])))
    made = UnsavedPages(published, settings, "/studio/site").page(post)
    assert made is not None
    assert made.html.decode() == built
    assert "secret" not in built
    _number, content = published.now()
    drafted = replace(post, id=9, slug="x", published_at=None)
    assert [each.id for each in with_entry(content, post).posts] == [each.id for each in content.posts]
    assert with_entry(content, replace(post, published_at=content.posts[0].published_at)).posts[1].id == post.id
    assert len(with_entry(content, drafted).posts) == 7


def test_check_says_what_to_look_at_and_which_pages_change(
    editor: Browser, make_post: MakePost, runtime: Runtime
) -> None:
    """Of the text that is typed, before it is saved; a script gets the part alone, and nothing is stored."""
    for number in range(3):
        make_post(f"other-{number}", hours=number - 9, featured_image="/media/x.png", summary="A summary.")
    body = '<h2>a</h2><p><a href="/blog/draft/">b</a></p>'
    post_id = make_post("calm", body=body, summary="A summary.")
    make_post("draft", status=Status.DRAFT)
    editor.get(f"/studio/posts/{post_id}/")
    before = runtime.database.change_number()
    path = f"/studio/posts/{post_id}/check/"
    status, html = ask(editor, path)
    assert (status, "<html" in html, "No page changes" in html) == (200, False, True)
    assert "This post has no featured picture, as most posts have." in html
    assert "/blog/draft/ leads to the post draft, which is not published." in html
    assert "has the title" not in html
    typed = '<h2>a</h2><h4>b</h4><img src="/media/none.png"><a href="/nowhere/">c</a><a href="/blog/other-0/">d</a>'
    html = ask(editor, path, title="Other-1" + "x" * 60, body=typed, tags="new tag")[1]
    for words in (
        "/nowhere/ leads nowhere on the site.",
        "This post has a title of 67 characters.",
        "Search engines show about 60; “Title for search engines” may be a shorter one.",
        "This post goes from a heading of level 2 to one of level 4: &#34;b&#34;.",
        "This post has a picture without alt text: /media/none.png.",
        "<code>/blog/calm/</code>",
        '<code>/tags/new-tag/</code> <span class="mark">new</span>',
    ):
        assert words in html, words
    assert "/blog/other-0/ leads" not in html
    assert ask(editor, path, title="Other-1")[1].count("has the title") == 1
    assert ask(editor, path, title="")[0] == 400
    answered = editor.client.post(path, data=form_of(editor), headers={"Sec-Fetch-Site": "same-origin"})
    assert "<html" in answered.get_data(as_text=True)
    assert runtime.database.change_number() == before


def test_check_finds_addresses_in_fields_that_lead_nowhere(
    editor: Browser, make_item: MakeItem, make_post: MakePost
) -> None:
    """Of an item without a page of its own, as an entry of a menu is; a draft is named, a published post is fine.

    A draft of another kind is named also where it has the id of the item.
    """
    make_item(1, {"name": "Menu"})
    assert make_post("wild", status=Status.DRAFT) == 1
    make_post("calm")
    editor.get("/studio/collections/team/1/")

    def check(address: str) -> str:
        return ask(editor, "/studio/collections/team/1/check/?locale=en", fields__name=address)[1]

    assert "/blog/clam/ leads nowhere on the site." in check("/blog/clam/")
    assert "/blog/wild/ leads to the post wild, which is not published." in check("/blog/wild/")
    for fine in ("/blog/calm/", "/", "and/or", "/ is a sign", "https://other.example/nowhere/"):
        assert " leads " not in check(fine), fine


def test_check_counts_the_pages_that_a_build_writes(editor: Browser, make_page: MakePage, make_item: MakeItem) -> None:
    """A page, and an item that other pages show: only those that show it."""
    uri = make_item(1, {"name": "Ann"})
    page_id = make_page("caves", {"summary": "s", "team": [uri]})
    make_page("hills", {"summary": "s"})
    editor.get(f"/studio/pages/{page_id}/")
    assert "No page changes" in ask(editor, f"/studio/pages/{page_id}/check/?locale=en")[1]
    assert "/guide/caves/" in ask(editor, f"/studio/pages/{page_id}/check/?locale=en", fields__summary="other")[1]
    editor.get("/studio/collections/team/1/")
    html = ask(editor, "/studio/collections/team/1/check/?locale=en", fields__name="Bo")[1]
    assert ("/guide/caves/" in html, "/guide/hills/" in html) == (True, False)


@pytest.mark.parametrize("field", ["summary", "featured_image_alt"])
def test_check_names_only_pages_that_come_out_otherwise(
    editor: Browser, make_post: MakePost, runtime: Runtime, field: str
) -> None:
    """As many as two builds write with other bytes: those that are rendered to the same file do not change."""
    for number in range(4):
        make_post(f"other-{number}", hours=number - 9, summary="A summary.", tags=("moon",))
    post_id = make_post("calm", summary="A summary.", tags=("moon",))
    editor.get(f"/studio/posts/{post_id}/")
    html = ask(editor, f"/studio/posts/{post_id}/check/", **{field: "Typed"})[1]
    named = set(re.findall(r"<li><code>([^<]+)</code>", html))
    before = built(runtime)
    press(editor, "publish", **{field: "Typed"})
    after = built(runtime)
    changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    assert named == {f"/{path}".removesuffix("index.html") for path in changed if not path.startswith(".")}
    assert f"{len(named)} pages and feeds change" in html or (len(named) == 1 and "1 page changes" in html)


def test_share_card_is_drawn_from_what_is_typed(editor: Browser, writer: Browser, make_post: MakePost) -> None:
    """As the site draws it: each title another picture, the same for the same title; not for drafts of others."""
    post_id = make_post("calm")
    editor.get(f"/studio/posts/{post_id}/")

    def card(title: str) -> bytes:
        form = form_of(editor)
        form["title"] = title
        answered = editor.client.post(f"/studio/posts/{post_id}/share-card/", data=form, headers=JSON)
        assert (answered.status_code, answered.mimetype) == (200, "image/png")
        return answered.get_data()

    assert card("One").startswith(b"\x89PNG")
    assert card("One") == card("One") != card("Two")
    hidden = make_post("hidden", author="bo-lind", status=Status.DRAFT)
    writer.get("/studio/posts/new/")
    assert ask(writer, f"/studio/posts/{hidden}/share-card/", title="Not mine")[0] == 404
