"""site.toml: defaults, checks, and what follows from it."""

import json
from pathlib import Path

import pytest

from sitecms.content.text.markdown import DEFAULT_EXTENSIONS
from sitecms.errors import ConfigurationError, InvalidFiles
from sitecms.settings.files import FileSettings, GitMode, WriteBack, hook_secret
from sitecms.settings.operations import LogSettings, MetricsSettings
from sitecms.settings.site import load_settings


def places(folder: Path, text: str) -> list[tuple[str, int | None]]:
    (folder / "site.toml").write_text(text, encoding="utf-8")
    with pytest.raises(InvalidFiles) as caught:
        load_settings(folder)
    return [(error.place, error.line) for error in caught.value.errors]


def test_name_is_the_only_required_setting(tmp_path: Path) -> None:
    """Every other setting has the default of the site folder reference."""
    (tmp_path / "site.toml").write_text('name = "Tide"\n', encoding="utf-8")
    site = load_settings(tmp_path)
    assert (site.name, site.url, site.locales, site.default_locale, site.timezone) == ("Tide", "", ("en",), "en", "UTC")
    assert (site.permalinks.post, site.permalinks.page) == ("/blog/{slug}/", "/{page_type}/{slug}/")
    assert (site.build.output, site.build.page_size, site.build.home, site.build.jobs) == ("public", 10, "", 0)
    assert (site.limits.collection_items, site.media.allow_hosts) == (10000, ())
    assert site.markdown_extensions == tuple(sorted(DEFAULT_EXTENSIONS))

    assert (site.build.on_publish, site.webhooks.allow_hosts, site.webhooks.timeout_seconds) == (False, (), 15)
    assert site.webhooks.retry_seconds == tuple(
        60 * minutes for minutes in (5 / 60, 5, 30, 120, 300, 600, 840, 1200, 1440)
    )
    keep = site.housekeeping
    assert (keep.keep_writes_days, keep.keep_deliveries_days, keep.keep_media_days) == (30, 30, 30)
    assert (keep.keep_revisions, keep.keep_published_revisions, keep.keep_unsaved_days) == (100, 300, 90)
    assert (site.logs, site.metrics) == (
        LogSettings("auto", "info", access=False),
        MetricsSettings(enabled=False, token=""),
    )


def test_name_and_description_have_a_text_for_each_locale(tmp_path: Path) -> None:
    """That of the default locale is the name of the site; one is missing, or a locale is unknown: an error."""
    locales = 'default_locale = "en"\nlocales = ["en", "es", "pt"]\n'
    words = 'name = { en = "Tide", es = "Marea" }\ndescription = { en = "On the sea.", es = "Sobre el mar." }\n'
    (tmp_path / "site.toml").write_text(locales + words, encoding="utf-8")
    site = load_settings(tmp_path)
    assert (site.name, site.description) == ("Tide", "On the sea.")
    assert site.words_in == {"es": {"Tide": "Marea", "On the sea.": "Sobre el mar."}}
    assert places(tmp_path, locales + 'name = { es = "Marea", fr = "Marée" }\n') == [("name", 3), ("name.fr", 3)]
    assert places(tmp_path, locales + "name = { en = 3 }\n") == [("name.en", 3)]


def test_paths_lie_in_the_site_folder(tmp_path: Path) -> None:
    """Store, queue and media lie in .sitecms as absolute paths."""
    (tmp_path / "site.toml").write_text('name = "Tide"\n[build]\noutput = "out/site"\n', encoding="utf-8")
    site = load_settings(tmp_path)
    state = tmp_path.resolve() / ".sitecms"
    assert site.folder.is_absolute()
    assert (site.store_path, site.queue_path, site.media_dir) == (
        state / "store.db",
        state / "queue.db",
        state / "media",
    )
    assert site.output_dir == tmp_path.resolve() / "out" / "site"


@pytest.mark.parametrize(
    ("url", "kept", "base"),
    [
        ("https://x.example/", "https://x.example", ""),
        ("http://x.example:8000/a/b/", "http://x.example:8000/a/b", "/a/b"),
        ("https://Müller.example:443/ü/", "https://xn--mller-kva.example/%C3%BC", "/%C3%BC"),
        ("", "", ""),
    ],
)
def test_addresses_end_without_a_slash(tmp_path: Path, url: str, kept: str, base: str) -> None:
    """Links are `url` and a path that begins with a slash; the base path is that of `url`."""
    (tmp_path / "site.toml").write_text(f'name = "Tide"\nurl = "{url}"\n', encoding="utf-8")
    site = load_settings(tmp_path)
    assert (site.url, site.base_path) == (kept, base)


def test_all_errors_are_reported_at_once_with_their_lines(tmp_path: Path) -> None:
    """One run shows every error."""
    text = 'nmae = "x"\nlocales = ["en", "EN!"]\n[permalinks]\npost = "/blog/"\n[theme]\naccent = "red"\n'
    assert places(tmp_path, text) == [
        ("name", None), ("nmae", 1), ("locales[1]", 2), ("permalinks.post", 4), ("theme.accent", 6),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ('timezone = "Europe/Lisbn"', "timezone"),
        ('timezone = "../etc/passwd"', "timezone"),
        ('url = "ftp://x.example"', "url"),
        ('url = "x.example"', "url"),
        ('url = "https://x.example/?a=1"', "url"),
        ('url = "https://x.example:port"', "url"),
        ('url = "https://x.example//a"', "url"),
        ('media.public_url = "https://ann:x@cdn.example"', "media.public_url"),
        ('locales = ["en", "en"]', "locales"),
        ('locales = ["en-chars-12"]', "locales[0]"),
        ('locales = ["en", "la tam"]', "locales[1]"),
        ('locales = ["en", "EN"]', "locales[1]"),
        ('locales = ["en", "blog"]', "locales[1]"),
        ('locales = ["en", "authors"]', "locales[1]"),
        ('default_locale = "abcdefghijk"', "default_locale"),
        ('languages.en.tag = "english"', "languages.en.tag"),
        ('languages.en.tag = "es_419"', "languages.en.tag"),
        ('languages.latam.tag = "es-419"', "languages.latam"),
        ('languages.en = { tag = "en", name = "x" }', "languages.en.name"),
        ('build.home = "a/b/c"', "build.home"),
        ('build.jobs = -1', "build.jobs"),
        ('permalinks.page = "/{type}/{slug}/"', "permalinks.page"),
        ('permalinks.tag = "tags/{slug}/"', "permalinks.tag"),
        ('permalinks.tag = "/../{slug}/"', "permalinks.tag"),
        ('serve.url = "localhost"', "serve.url"),
        ('serve.url = "https://lab.example/cms"', "serve.url"),
        ('store.url = "mysql://x/tide"', "store.url"),
        ('queue.url = "amqp://x"', "queue.url"),
        ('queue.url = "redis:///0"', "queue.url"),
        ('queue.url = "redis://x:port"', "queue.url"),
    ],
)  # fmt: skip
def test_invalid_setting_is_an_error_at_its_line(tmp_path: Path, line: str, place: str) -> None:
    """Invalid settings stop the command before it does anything."""
    assert places(tmp_path, f'name = "Tide"\n{line}\n') == [(place, 2)]


def test_default_locale_must_be_one_of_the_locales(tmp_path: Path) -> None:
    """Without a list it is the only locale; a list that lacks it is an error."""
    (tmp_path / "site.toml").write_text('name = "Tide"\ndefault_locale = "es"\n', encoding="utf-8")
    assert load_settings(tmp_path).locales == ("es",)
    assert places(tmp_path, 'name = "Tide"\nlocales = ["es"]\ndefault_locale = "en"\n') == [("default_locale", 3)]


def test_locale_need_not_be_a_language_tag(tmp_path: Path) -> None:
    """Its language is what [languages] says, else the locale itself where that is a tag, else not known."""
    (tmp_path / "site.toml").write_text(
        'name = "Tide"\ndefault_locale = "english"\n'
        'locales = ["english", "latam", "abcdefghij", "pt_BR", "zh-hant-tw", "en"]\n'
        '[languages]\nlatam.tag = "es-419"\nen.tag = "en-x-tide"\n',
        encoding="utf-8",
    )
    site = load_settings(tmp_path)
    assert site.default_locale == "english"
    assert {locale: site.language_tag(locale) for locale in site.locales} == {
        "english": "", "latam": "es-419", "abcdefghij": "", "pt_BR": "pt-BR", "zh-hant-tw": "zh-hant-tw",
        "en": "en-x-tide",
    }  # fmt: skip


def test_invalid_locale_is_told_what_is_allowed(tmp_path: Path) -> None:
    """The error says how a locale is written, and where."""
    (tmp_path / "site.toml").write_text('name = "Tide"\nlocales = ["en", "es mx"]\n', encoding="utf-8")
    with pytest.raises(InvalidFiles, match=r"site\.toml:2.*At most 10 letters, digits, - and _"):
        load_settings(tmp_path)


def test_unknown_key_is_an_error_with_the_nearest_key(tmp_path: Path) -> None:
    """A misspelt key is answered with the right one."""
    (tmp_path / "site.toml").write_text('name = "Tide"\n[build]\npagesize = 5\n', encoding="utf-8")
    with pytest.raises(
        InvalidFiles, match=r'site.toml:3 build.pagesize: is not a known key \(did you mean "page_size"\?\)'
    ):
        load_settings(tmp_path)


def test_missing_site_is_an_error_with_the_init_command(tmp_path: Path) -> None:
    """A missing folder and an empty one have the same remedy."""
    for folder in (tmp_path, tmp_path / "none"):
        with pytest.raises(ConfigurationError, match=r"sitecms init"):
            load_settings(folder)


def test_password_of_an_address_is_never_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It appears neither in the text nor in a repr of the settings nor in an error."""
    path = tmp_path / "site.toml"
    path.write_text('name = "Tide"\nqueue.url = "redis://ann:hush@one.example:6380/2?password=hush"\n', "utf-8")
    site = load_settings(tmp_path)
    assert site.queue_url.reveal() == "redis://ann:hush@one.example:6380/2?password=hush"
    assert str(site.queue_url) == "redis://one.example:6380/2"
    assert "hush" not in repr(site)
    monkeypatch.setenv("SITECMS_QUEUE_URL", "rediss://:hush@two.example")
    assert str(load_settings(tmp_path).queue_url) == "rediss://two.example"
    for wrong in ("amqp://:hush@two.example", "redis://:hush@two.example:port", "hush"):
        monkeypatch.setenv("SITECMS_QUEUE_URL", wrong)
        with pytest.raises(InvalidFiles, match=r"^environment SITECMS_QUEUE_URL: is not the") as caught:
            load_settings(tmp_path)
        assert "hush" not in str(caught.value)


def test_store_is_a_file_or_a_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment overrides the settings; a password is not shown."""
    (tmp_path / "site.toml").write_text('name = "Tide"\n', encoding="utf-8")
    assert load_settings(tmp_path).store == tmp_path.resolve() / ".sitecms" / "store.db"
    (tmp_path / "site.toml").write_text('name = "Tide"\nstore.url = "postgresql://db.example/tide"\n', "utf-8")
    assert str(load_settings(tmp_path).store) == "postgresql://db.example/tide"
    monkeypatch.setenv("SITECMS_STORE_URL", "postgresql://ann:hush@other.example:5433/tide")
    settings = load_settings(tmp_path)
    assert str(settings.store) == "postgresql://other.example:5433/tide"
    assert "hush" not in repr(settings)
    monkeypatch.setenv("SITECMS_STORE_URL", "sqlite:///tide.db")
    assert places(tmp_path, 'name = "Tide"\n') == [("SITECMS_STORE_URL", None)]


@pytest.mark.parametrize("value", ["auto", True, False])
def test_files_are_written_back_and_git_is_left_alone_by_default(tmp_path: Path, value: str | bool) -> None:
    """`write_back` is a word or a boolean; `git` is off unless a site names one of its two modes."""
    (tmp_path / "site.toml").write_text('name = "Tide"\n', encoding="utf-8")
    assert load_settings(tmp_path).files == FileSettings(WriteBack.AUTO, GitMode.OFF)
    text = f'name = "Tide"\n[files]\nwrite_back = {json.dumps(value)}\ngit = "push"\n'
    (tmp_path / "site.toml").write_text(text, encoding="utf-8")
    assert load_settings(tmp_path).files == FileSettings(WriteBack(json.dumps(value).strip('"')), GitMode.PUSH)
    assert places(tmp_path, 'name = "Tide"\n[files]\ngit = "pull"\n') == [("files.git", 3)]


def test_secret_of_the_hook_is_none_that_can_be_guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes from the environment, and counts as none if it is short."""
    for secret, expected in (("0123456789abcdef", "0123456789abcdef"), ("0123456789abcde", ""), ("", "")):
        monkeypatch.setenv("SITECMS_GIT_HOOK_SECRET", secret)
        assert hook_secret() == expected
