"""Settings of the site in the studio: forms, files, undo."""

import re

import pytest
from msgspec.structs import astuple, replace

from sitecms.actions.syncing.git.changes import waiting_changes
from sitecms.content.user import Role
from sitecms.runtime import Runtime
from sitecms.settings.files import GitMode, WriteBack
from sitecms.settings.site import load_settings

from .conftest import Browser, MakeUser, SignedIn, open_with
from .forms import form_in, press_settings
from .test_media import file, picture

SITE_TOML = """# The settings of Tide.
name = "Tide"          # as on the ship
url = "https://tide.example"
locales = ["en", "es"]

[theme]
# the colour of the sea
accent = "#0b6e99"
"""


@pytest.fixture
def admin(runtime: Runtime, signed_in: SignedIn) -> Browser:
    """An admin of a site whose site.toml has comments."""
    path = runtime.settings.folder / "site.toml"
    path.write_text(SITE_TOML, encoding="utf-8")
    return signed_in(Role.ADMIN)


def toml(runtime: Runtime) -> str:
    """The text of site.toml."""
    return (runtime.settings.folder / "site.toml").read_text(encoding="utf-8")


def test_what_was_changed_is_written_and_nothing_else(runtime: Runtime, admin: Browser) -> None:
    """Comments, order and all that was not touched stay; the page says what was changed."""
    admin.get("/studio/site/")
    answered = press_settings(admin, "/studio/site/", {"name:en": "Ebb", "timezone": "Europe/Lisbon"})
    assert answered.status_code == 200
    assert "“Tide” → “Ebb”" in admin.text
    assert toml(runtime) == SITE_TOML.replace('"Tide"  ', '"Ebb"  ').replace(
        'locales = ["en", "es"]\n', 'locales = ["en", "es"]\ntimezone = "Europe/Lisbon"\n'
    )
    settings = load_settings(runtime.settings.folder)
    assert (settings.name, settings.timezone) == ("Ebb", "Europe/Lisbon")


def test_an_invalid_value_is_refused_beside_its_field(runtime: Runtime, admin: Browser) -> None:
    """As a load would refuse it, with what was typed, and nothing is written."""
    admin.get("/studio/site/")
    answered = press_settings(admin, "/studio/site/", {"name:en": "Ebb", "timezone": "Europe/Lisbn"})
    assert answered.status_code == 400
    assert 'id="timezone-problem">It is &#34;Europe/Lisbn&#34; (did you mean &#34;Europe/Lisbon&#34;?).' in admin.page
    assert 'value="Ebb"' in admin.page
    assert toml(runtime) == SITE_TOML


def test_a_logo_that_does_not_exist_is_refused(runtime: Runtime, admin: Browser) -> None:
    """A build would stop at it."""
    admin.get("/studio/site/")
    assert press_settings(admin, "/studio/site/", {"theme.logo": "nowhere.svg"}).status_code == 400
    assert "there is no such file" in admin.text
    assert toml(runtime) == SITE_TOML


def test_changes_by_hand_meanwhile_are_merged_or_refused(runtime: Runtime, admin: Browser) -> None:
    """Another setting is kept; the same one is not overwritten."""
    admin.get("/studio/site/")
    by_hand = SITE_TOML.replace("tide.example", "ebb.example").replace("#0b6e99", "#112233")
    (runtime.settings.folder / "site.toml").write_text(by_hand, encoding="utf-8")
    answered = press_settings(admin, "/studio/site/", {"name:en": "Ebb", "url": "https://flood.example"})
    assert answered.status_code == 400
    assert "changed in site.toml meanwhile, to “https://ebb.example”" in admin.text
    assert toml(runtime) == by_hand
    press_settings(admin, "/studio/site/", {"name:en": "Ebb", "url": "https://tide.example"})
    assert toml(runtime) == by_hand.replace('"Tide"  ', '"Ebb"  ')


def test_a_change_is_undone(runtime: Runtime, admin: Browser) -> None:
    """By the button of the message, byte for byte; once; and not over a later change of the same setting."""
    admin.get("/studio/site/")
    press_settings(admin, "/studio/site/", {"name:en": "Ebb", "description:en": "On the sea."})
    admin.get("/studio/site/changes/")
    assert "Name : “Tide” → “Ebb”" in admin.text
    admin.send("/studio/site/changes/", id="1")
    assert toml(runtime) == SITE_TOML
    assert admin.send("/studio/site/changes/", id="1").status_code == 409
    for name in ("Flow", "Flood"):
        admin.get("/studio/site/")
        press_settings(admin, "/studio/site/", {"name:en": name})
    admin.send("/studio/site/changes/", id="3")
    assert "changed again since" in admin.text
    assert "Flood" in toml(runtime)


def test_a_name_in_two_languages_and_back(runtime: Runtime, admin: Browser) -> None:
    """A table by locale where languages differ; the text alone where only the main one has a text."""
    admin.get("/studio/site/")
    press_settings(admin, "/studio/site/", {"name:es": "Marea"})
    assert load_settings(runtime.settings.folder).words_in == {"es": {"Tide": "Marea"}}
    admin.get("/studio/site/")
    press_settings(admin, "/studio/site/", {"name:es": ""})
    assert load_settings(runtime.settings.folder).words_in == {}


def test_another_theme_leaves_the_options_of_the_former_one(runtime: Runtime, admin: Browser) -> None:
    """The options are made from the declarations of the theme; those that the new theme does not have go."""
    admin.get("/studio/site/theme/")
    press_settings(admin, "/studio/site/theme/", {"theme.name": "magazine"})
    admin.get("/studio/site/theme/")
    answered = press_settings(admin, "/studio/site/theme/", {"theme.options.sections": "99"})
    assert answered.status_code == 400
    assert 'id="theme.options.sections-problem"' in admin.page
    press_settings(admin, "/studio/site/theme/", {"theme.options.sections": "3", "theme.options.authors": None})
    assert load_settings(runtime.settings.folder).theme.options == {"sections": 3, "authors": False}
    admin.get("/studio/site/theme/")
    press_settings(admin, "/studio/site/theme/", {"theme.name": "docs"})
    assert load_settings(runtime.settings.folder).theme.name == "docs"
    assert "# the colour of the sea" in toml(runtime)


def test_every_form_saves_nothing_when_nothing_was_changed(runtime: Runtime, admin: Browser) -> None:
    """A form that comes back as it was shown changes no byte."""
    for path in ("/studio/site/", "/studio/site/theme/", "/studio/site/services/"):
        admin.get(path)
        press_settings(admin, path, {})
        assert "Nothing was changed" in admin.text
    assert toml(runtime) == SITE_TOML


def test_links_feeds_and_services(runtime: Runtime, admin: Browser) -> None:
    """Lists of links and of choices, and what a service needs."""
    admin.get("/studio/site/theme/")
    links = {"theme.footer_links.label": ["Imprint"], "theme.footer_links.url": ["/imprint/"]}
    press_settings(admin, "/studio/site/theme/", {**links, "theme.social": "https://mastodon.social/@tide\nrss"})
    admin.get("/studio/site/services/")
    press_settings(admin, "/studio/site/services/", {"comments.service": "disqus", "feeds.kinds": ["rss", "json"]})
    assert "and disqus needs it" in admin.text
    press_settings(
        admin, "/studio/site/services/", {"comments.service": "disqus", "comments.id": "tide", "feeds.kinds": ["rss"]}
    )
    settings = load_settings(runtime.settings.folder)
    assert settings.theme.footer_links[0].label == "Imprint"
    assert settings.theme.social == ("https://mastodon.social/@tide", "rss")
    assert settings.feeds.kinds == ("rss",)
    assert settings.integrations.comments is not None


def test_a_logo_of_the_media_library_gets_a_place_in_the_folder(runtime: Runtime, admin: Browser) -> None:
    """It is uploaded in the form; its file is copied into media/, and site.toml names that."""
    admin.get("/studio/site/")
    press_settings(admin, "/studio/site/", {"name:en": "Ebb"}, "choose-picture:theme.logo")
    form = form_in(admin.page)
    form.poplist("do")
    fields = {name: values for name, values in form.lists() if name != "form_token"}
    admin.send("/studio/site/", **{**fields, "do": "upload-picture", "upload": file(picture(), "boat.jpg")})
    assert re.search(r'name="theme.logo" value="/media/[0-9a-f]+.jpg"', admin.page)
    assert 'value="Ebb"' in admin.page
    press_settings(admin, "/studio/site/", {})
    settings = load_settings(runtime.settings.folder)
    assert settings.theme.logo == "media/boat.jpg"
    assert (runtime.settings.folder / "media/boat.jpg").is_file()
    assert settings.name == "Ebb"


def test_settings_stay_closed_where_the_studio_may_change_no_files(runtime: Runtime, make_user: MakeUser) -> None:
    """The page says so, and a form that is sent all the same is refused."""
    files = replace(runtime.settings.files, write_back=WriteBack.OFF)
    make_user("admin")
    admin = open_with(runtime, "admin", files=files)
    before = toml(runtime)
    admin.get("/studio/site/")
    assert "write_back = false" in admin.text
    assert press_settings(admin, "/studio/site/", {"name:en": "Ebb"}).status_code == 400
    assert toml(runtime) == before


def test_errors_by_hand_are_shown_in_place_of_the_form(runtime: Runtime, admin: Browser) -> None:
    """They have to be corrected where they were made."""
    (runtime.settings.folder / "site.toml").write_text("name = Tide\n", encoding="utf-8")
    assert admin.get("/studio/site/").status_code == 409
    assert "is not valid TOML" in admin.text


def test_git_gets_the_change_under_the_name_of_the_admin(runtime: Runtime, make_user: MakeUser) -> None:
    """As a change of an entry does."""
    files = replace(runtime.settings.files, git=GitMode.COMMIT)
    make_user("admin")
    admin = open_with(runtime, "admin", files=files)
    admin.get("/studio/site/")
    press_settings(admin, "/studio/site/", {"name:en": "Ebb"})
    ((_file, change),) = map(astuple, waiting_changes(replace(runtime.settings, files=files)))
    assert (change.line, change.person.name, change.paths) == ("Update site settings", "admin", ("site.toml",))


def test_previews_of_entries_have_saved_settings_at_once(runtime: Runtime, admin: Browser) -> None:
    """Without a new start; a file with errors changes nothing."""
    admin.get("/studio/site/theme/")
    press_settings(admin, "/studio/site/theme/", {"theme.footer_text": "All rights of the moon."})
    fields = {"title": "Calm", "author": "ann-ray", "body": "The sea.", "format": "markdown", "complete": "yes"}
    admin.get("/studio/posts/new/")
    form_page = admin.page
    admin.send("/studio/posts/new/preview/", **fields)
    assert "All rights of the moon." in admin.page
    (runtime.settings.folder / "site.toml").write_text("name = [", encoding="utf-8")
    admin.page = form_page
    admin.send("/studio/posts/new/preview/", **fields)
    assert "All rights of the moon." in admin.page


def test_values_begin_at_the_side_of_their_own_script(admin: Browser) -> None:
    """In Arabic, too, `#2d6a4f` and `media/logo.svg` are written from the left."""
    for path in ("/studio/site/", "/studio/site/theme/"):
        admin.get(path)
        inputs = re.findall(r'<input id="[^>]*>', admin.page)
        assert len(inputs) > 4
        assert [each for each in inputs if 'dir="auto"' not in each] == []
