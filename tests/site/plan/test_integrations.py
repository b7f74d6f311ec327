"""Presets of analytics, comments and contact forms: scripts, security policy, and the pages that show them."""

import html
import json
import re
from pathlib import Path

import pytest

from sitecms.errors import InvalidFiles
from sitecms.settings.site import load_settings
from tests.support.sites import ExampleSite

GISCUS = {
    "service": "giscus", "repository": "ann/tide", "repository_id": "R_1", "category": "Talk", "category_id": "DIC_1",
}  # fmt: skip


def policy_of(example: ExampleSite) -> dict[str, list[str]]:
    """The directives of the policy that web servers send."""
    line = next(line for line in example.text("_headers").splitlines() if "Content-Security-Policy" in line)
    parts = line.partition(": ")[2].split("; ")
    return {words[0]: words[1:] for words in map(str.split, parts)}


@pytest.mark.parametrize(
    ("settings", "tag", "sources"),
    [
        (
            {"service": "plausible", "id": "tide.example"},
            '<script defer src="https://plausible.io/js/script.js" data-domain="tide.example">',
            {"script-src": "https://plausible.io", "connect-src": "https://plausible.io"},
        ),
        (
            {"service": "plausible", "id": "tide.example", "host": "https://stats.tide.example/"},
            '<script defer src="https://stats.tide.example/js/script.js" data-domain="tide.example">',
            {"script-src": "https://stats.tide.example", "connect-src": "https://stats.tide.example"},
        ),
        (
            {"service": "goatcounter", "id": "tide"},
            '<script defer src="https://gc.zgo.at/count.js" data-goatcounter="https://tide.goatcounter.com/count">',
            {"script-src": "https://gc.zgo.at", "connect-src": "https://tide.goatcounter.com"},
        ),
        (
            {"service": "umami", "id": "1-2"},
            '<script defer src="https://cloud.umami.is/script.js" data-website-id="1-2">',
            {"script-src": "https://cloud.umami.is", "connect-src": "https://*.umami.dev"},
        ),
        (
            {"service": "fathom", "id": "ABC"},
            '<script defer src="https://cdn.usefathom.com/script.js" data-site="ABC">',
            {"script-src": "https://cdn.usefathom.com", "connect-src": "https://cdn.usefathom.com"},
        ),
    ],
)
def test_analytics_are_one_setting(
    example: ExampleSite, settings: dict[str, str], tag: str, sources: dict[str, str]
) -> None:
    """Every page loads the script of the service, and the policy allows its hosts and no more."""
    example.make()
    before = policy_of(example)
    example.settings_are(analytics=settings)
    example.make()
    assert tag in example.text("index.html")
    assert tag in example.text("guide/knots/index.html")
    policy = policy_of(example)
    for directive, source in sources.items():
        assert source in policy[directive]
    assert {name for name in policy if policy[name] != before[name]} == sources.keys()


def test_google_is_asked_for_first(example: ExampleSite) -> None:
    """No page loads the script by itself: a banner holds its address until the visitor agrees."""
    example.settings_are(analytics={"service": "ga4", "id": "G-1"})
    example.make()
    page = example.text("index.html")
    assert "<script defer" not in page
    banner = re.search(r'<aside class="consent"[^>]* hidden[^>]* data-src="([^"]+)"', page)
    assert banner
    assert html.unescape(banner[1]) == "https://www.googletagmanager.com/gtag/js?id=G-1"
    assert "https://*.google-analytics.com" in policy_of(example)["connect-src"]


@pytest.mark.parametrize(
    ("settings", "element", "attributes", "directives"),
    [
        (
            GISCUS,
            'id="giscus" class="giscus" data-load="view" data-src="https://giscus.app/client.js"',
            {"data-repo": "ann/tide", "data-lang": "en", "data-mapping": "pathname"},
            {"script-src", "style-src", "frame-src", "connect-src"},
        ),
        (
            {"service": "utterances", "repository": "ann/tide"},
            'data-load="view" data-src="https://utteranc.es/client.js"',
            {"repo": "ann/tide", "issue-term": "pathname"},
            {"script-src", "frame-src", "connect-src"},
        ),
        (
            {"service": "disqus", "id": "tide"},
            'id="disqus_thread" class="disqus_thread" data-load="click" data-src="https://tide.disqus.com/embed.js"',
            {},
            {"script-src", "style-src", "frame-src", "connect-src"},
        ),
        (
            {"service": "isso", "host": "https://talk.tide.example/isso/"},
            'id="isso-thread" class="isso-thread" data-load="view" data-src="https://talk.tide.example/isso/js/',
            {"data-isso": "https://talk.tide.example/isso/"},
            {"script-src", "style-src", "connect-src"},
        ),
    ],
)
def test_comments_stand_below_posts(
    example: ExampleSite, settings: dict[str, str], element: str, attributes: dict[str, str], directives: set[str]
) -> None:
    """Only there, and the page itself loads nothing of the service."""
    example.make()
    before = policy_of(example)
    (post,) = [path for path in example.tree() if re.fullmatch(r"blog/ebb[^/]*/index.html", path)][:1]
    example.settings_are(comments=settings)
    example.make()
    page = example.text(post)
    assert element in page
    found = re.search(r'data-attributes="([^"]*)"', page)
    assert found
    given = json.loads(html.unescape(found[1]))
    assert {name: given[name] for name in attributes} == attributes
    assert not re.search(r'<script[^>]* src="https:', page)
    assert "data-load" not in example.text("index.html")
    policy = policy_of(example)
    assert {name for name in policy if policy[name] != before[name]} == directives


def test_giscus_speaks_the_language_of_the_page(example: ExampleSite) -> None:
    """A language that giscus does not have is English, since it refuses to load in others."""
    example.settings_are(comments=GISCUS)
    example.make()
    pages = [example.text(path) for path in example.tree() if path.startswith("es/") and path.endswith(".html")]
    (post,) = [page for page in pages if "data-load" in page][:1]
    assert "&#34;data-lang&#34;: &#34;es&#34;" in post


@pytest.mark.parametrize(
    ("settings", "shown", "policy"),
    [
        ({"service": "formspree", "id": "abc"}, 'action="https://formspree.io/f/abc"', ["https://formspree.io"]),
        (
            {"service": "own", "endpoint": "https://x.example/in"},
            'action="https://x.example/in"',
            ["https://x.example"],
        ),
        ({"service": "netlify"}, 'action="/about/" name="contact" data-netlify="true"', []),
    ],
)
def test_a_page_shows_the_contact_form(
    example: ExampleSite, settings: dict[str, str], shown: str, policy: list[str]
) -> None:
    """The Single Page that the setting names, and no other."""
    example.settings_are(contact_form={**settings, "page": "about"})
    example.make()
    assert shown in example.text("about/index.html")
    assert "<form class=" not in example.text("guide/knots/index.html")
    assert policy_of(example)["form-action"] == ["'self'", *policy]


def test_a_contact_form_without_its_page_is_noted(example: ExampleSite) -> None:
    """By each build and check, since the form would be missing in silence."""
    example.settings_are(contact_form={"service": "netlify", "page": "write-us"})
    assert any("no published Single Page has the slug write-us" in note for note in example.make().notes)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[analytics]\nservice = "plausible"', "site.toml:2 analytics.id: is missing, and plausible needs it"),
        ('[comments]\nservice = "giscus"\nrepository = "a/b"', "comments.repository_id: is missing"),
        ('[comments]\nservice = "gitalk"', "comments.service"),
        ('[contact_form]\nservice = "own"\nendpoint = "here"', "contact_form.endpoint"),
    ],
)
def test_a_service_names_what_it_needs(tmp_path: Path, text: str, said: str) -> None:
    """The error stands at the table of the service."""
    (tmp_path / "site.toml").write_text(f'name = "Tide"\n{text}\n', encoding="utf-8")
    with pytest.raises(InvalidFiles) as caught:
        load_settings(tmp_path)
    assert said in str(caught.value)


def test_hooks_and_a_stylesheet_need_no_copies(example: ExampleSite) -> None:
    """Files in templates/hooks stand at their place on every page, and custom.css follows the theme's styles."""
    for name in ("head-end", "body-start", "post-end", "footer"):
        example.write(f"templates/hooks/{name}.html", f"<!-- {name} of {{{{ site.name }}}} -->")
    example.write("assets/custom.css", "h1 { color: teal }")
    example.make()
    (post,) = [path for path in example.tree() if re.fullmatch(r"blog/ebb[^/]*/index.html", path)][:1]
    home, page = example.text("index.html"), example.text(post)
    assert re.search(r"<!-- head-end of Tide -->\s*</head>", home)
    assert re.search(r"<body>\s*<!-- body-start of Tide -->", home)
    assert re.search(r"<!-- footer of Tide -->\s*</body>", home)
    assert "<!-- post-end of Tide -->" in page
    assert "<!-- post-end" not in home
    assert re.search(r'"/assets/style\.[^<]+<link[^<]+print\.[^<]+<link rel="stylesheet" href="/assets/custom\.', home)
    (example.folder / "templates/hooks/footer.html").unlink()
    example.make()
    assert "footer of Tide" not in example.text("index.html")


NEWSLETTERS = [
    (
        {"service": "buttondown", "id": "tide"},
        "https://buttondown.com/api/emails/embed-subscribe/tide",
        ['name="email" type="email"', 'type="hidden" name="embed" value="1"'],
        "https://buttondown.com",
    ),
    (
        {"service": "listmonk", "id": "4f1c-22", "host": "https://lists.tide.example/"},
        "https://lists.tide.example/subscription/form",
        ['name="email" type="email"', 'type="hidden" name="l" value="4f1c-22"', 'name="nonce"'],
        "https://lists.tide.example",
    ),
    (
        {"service": "keila", "id": "nfrm_a1"},
        "https://app.keila.io/forms/nfrm_a1",
        ['name="contact[email]" type="email"', 'name="h[url]"'],
        "https://app.keila.io",
    ),
    (
        {"service": "mailchimp", "endpoint": "https://tide.us1.list-manage.com/subscribe/post?u=0a&id=1b"},
        "https://tide.us1.list-manage.com/subscribe/post?u=0a&id=1b",
        ['name="EMAIL" type="email"', 'name="b_0a_1b"'],
        "https://tide.us1.list-manage.com",
    ),
    (
        {"service": "own", "endpoint": "https://tide.example/subscribe"},
        "https://tide.example/subscribe",
        ['name="email" type="email"', 'name="website"'],
        "https://tide.example",
    ),
]


@pytest.mark.parametrize(("settings", "action", "fields", "source"), NEWSLETTERS)
def test_a_newsletter_is_one_setting(
    example: ExampleSite, settings: dict[str, str], action: str, fields: list[str], source: str
) -> None:
    """A box below posts and on home pages, in the language of the page; no script, and the policy allows its host."""
    example.settings_are(newsletter=settings)
    example.make()
    for page, word in (
        ("blog/calm/index.html", "Subscribe"),
        ("index.html", "Subscribe"),
        ("es/index.html", "Suscribirse"),
    ):
        text = example.text(page)
        box = text[text.index('<section class="newsletter"') :].partition("</section>")[0]
        assert f'<form method="post" action="{html.escape(action)}">' in box
        for field in fields:
            assert field in box
        assert f">{word}</button>" in box
        assert box.count('<label for="_subscriber">') == 1
    assert source in policy_of(example)["form-action"]
    assert 'class="newsletter"' not in example.text("guide/knots/index.html")
    assert "unsubscribe at any time.</span>" in example.text("index.html")


def test_a_newsletter_has_words_of_the_owner_and_the_page_about_privacy(example: ExampleSite) -> None:
    """Translated by the catalogues of the site; the page is named where it is published in the language."""
    words = {"text": "One letter a month.", "consent": "We keep your address."}
    example.settings_are(newsletter={"service": "buttondown", "id": "tide", **words})
    example.write("content/pages/_single/privacy.md", "---\ntitle: Privacy\nstatus: published\n---\nNothing is sold.\n")
    example.write("translations/es.po", 'msgid "One letter a month."\nmsgstr "Una carta al mes."\n')
    example.make()
    home, spanish = example.text("index.html"), example.text("es/index.html")
    assert "<p>One letter a month.</p>" in home
    assert 'We keep your address. <a href="/privacy/">Privacy</a>' in home
    assert "<p>Una carta al mes.</p>" in spanish
    assert "/privacy/" not in spanish.partition('class="newsletter"')[2].partition("</section>")[0]


@pytest.mark.parametrize(
    ("settings", "key"),
    [({"service": "listmonk", "id": "1"}, "newsletter.host"), ({"service": "mailchimp"}, "newsletter.endpoint")],
)
def test_a_newsletter_names_what_it_lacks(example: ExampleSite, settings: dict[str, str], key: str) -> None:
    """With the service that needs it."""
    example.settings_are(newsletter=settings)
    with pytest.raises(InvalidFiles) as caught:
        load_settings(example.folder)
    assert key in str(caught.value)
    assert settings["service"] in str(caught.value)
