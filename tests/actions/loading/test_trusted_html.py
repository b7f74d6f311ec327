"""HTML of files that the sanitiser removes: reported, or kept where the owner trusts it."""

import pytest

from tests.actions.conftest import SiteFolder

pytestmark = pytest.mark.sqlite_only("is about files; what a load stores is told by test_load and others")

HTML = (
    '<form action="/send" onsubmit=\'go("x")\'><label>Name <input name=name required></label>'
    "<button>Go</button></form>\n"
    '<script src="https://x.example/a.js" async></script>\n<style>p > b { color: red }</style>\n'
    '<iframe src="https://x.example/?a=1&b=2"></iframe>\n<p style="color: red">a</p>\n'
    '<svg viewBox="0 0 1 1"><path d="M0 0"/></svg>\n<object data="a"></object>'
)
KEPT = (
    '<form action="/send" onsubmit="go(&quot;x&quot;)"><label>Name <input name="name" required=""></label>'
    "<button>Go</button></form>\n"
    '<script src="https://x.example/a.js" async=""></script>\n<style>p > b { color: red }</style>\n'
    '<iframe src="https://x.example/?a=1&amp;b=2"></iframe>\n<p style="color: red">a</p>\n'
    '<svg viewbox="0 0 1 1"><path d="M0 0"/></svg>\n<object data="a"></object>'
)


def trust(folder: SiteFolder) -> None:
    """Let the site trust its files."""
    folder.add_settings("[content]\ntrust_html = true")


def test_removed_html_is_noted_with_a_way_to_keep_it(folder: SiteFolder) -> None:
    """Tags and styles that trust_html keeps say so; a link with an unknown scheme has its own remedy."""
    folder.post("a", 'x\n\n<form><p style="color:red">a</p></form>\n\n<a href="data:x">y</a>', published="2026-01-01")
    notes = folder.load().notes
    keep = "(to keep it, set trust_html = true under [content] in site.toml)"
    assert notes == (
        "content/posts/a.md:8 body: The tag <form> was removed: it is not allowed. Its text was kept. <form> " + keep,
        'content/posts/a.md:8 body: Styles of <p> were removed: color. <p style="color:red"> ' + keep,
        (
            "content/posts/a.md:10 body: The attribute href of <a> was removed: addresses must be relative or begin "
            "with ftp:, geo:, http:, https:, irc:, ircs:, mailto:, news:, sms:, tel:, webcal:, whatsapp: or xmpp:. "
            '<a href="data:x">'
        ),
    )


@pytest.mark.parametrize("kind", ["html", "markdown"])
def test_trusted_html_is_kept(folder: SiteFolder, kind: str) -> None:
    """In posts of both formats; the files are loaded again when the setting changes."""
    folder.post("a", HTML, format=kind, published="2026-01-01")
    assert folder.load().notes
    trust(folder)
    report = folder.load()
    assert report.loaded == ("content/posts/a.md",)
    assert report.notes == ()
    assert folder.find("a").body.strip() == KEPT.strip()


def test_the_rest_of_trusted_texts_is_sanitised(folder: SiteFolder) -> None:
    """Addresses of scripts in links, unknown tags and misplaced ones are removed, and noted."""
    trust(folder)
    folder.post(
        "a",
        '<p><a href="javascript:x">a</a> <blink>b</blink> trusted-html-0. <b>c</p>',
        format="html",
        published="2026-01-01",
    )
    assert len(folder.load().notes) == 2
    assert folder.find("a").body.strip() == "<p><a>a</a> b trusted-html-0. <b>c</b></p>"


def test_trusted_fields_of_files(folder: SiteFolder) -> None:
    """Formatted fields of pages are kept as well."""
    trust(folder)
    folder.guide("start", fields={"headline": "Start", "text": '<form action="/x"><input name="a"></form>'})
    assert folder.load().notes == ()
    assert folder.page("start")[0].fields["text"] == '<form action="/x"><input name="a"></form>'


def test_tasks_are_the_same_in_trusted_texts(folder: SiteFolder) -> None:
    """Check boxes of Markdown do not depend on the setting."""
    folder.post("a", "- [x] a <b>b</b>")
    folder.load()
    before = folder.find("a").body
    trust(folder)
    folder.load()
    assert folder.find("a").body == before
