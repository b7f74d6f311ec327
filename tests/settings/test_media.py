"""Where media are kept, as people write it down."""

from pathlib import Path

import pytest

from sitecms.errors import InvalidFiles
from sitecms.media.library import open_library
from sitecms.settings.media import Bucket, InBuild, Serving, bucket_problems, read_bucket
from sitecms.settings.service_url import ServiceUrl
from sitecms.settings.site import SiteSettings, load_settings

SECRET = "secret-that-nothing-may-show"


def settings(folder: Path, *lines: str) -> SiteSettings:
    """Return the media settings of a site with these lines under [media]."""
    (folder / "site.toml").write_text("\n".join(['name = "Tide"', 'owner = "ann-ray"', "[media]", *lines, ""]))
    return load_settings(folder)


@pytest.mark.parametrize(
    ("url", "bucket"),
    [
        ("s3://tide", Bucket("tide")),
        ("s3://tide/", Bucket("tide")),
        ("s3://tide?region=eu-central-1", Bucket("tide", region="eu-central-1")),
        ("s3://tide/a/b/", Bucket("tide", "a/b/")),
        (
            "s3://tide/a?endpoint=https://s3.example&region=eu-1",
            Bucket("tide", "a/", "https://s3.example", "eu-1", "path"),
        ),
        (
            "s3://tide/a?endpoint=https%3A%2F%2Fs3.example%3A9000%2F&style=virtual",
            Bucket("tide", "a/", "https://s3.example:9000", "", "virtual"),
        ),
        ("s3://tide?style=path", Bucket("tide", style="path")),
    ],
)
def test_address_of_a_bucket_is_read(tmp_path: Path, url: str, bucket: Bucket) -> None:
    """It has bucket, prefix, endpoint and region; with an endpoint, requests name the bucket in the path by default."""
    found = settings(tmp_path, f'url = "{url}"')
    assert found.media.bucket == bucket == read_bucket(ServiceUrl(url))
    assert open_library(found).is_remote
    assert open_library(found).folder == tmp_path / ".sitecms" / "media-cache"


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("http://tide/a", "does not begin with s3://"),
        ("tide", "does not begin with s3://"),
        (f"s3://key:{SECRET}@tide/a", "holds credentials, which belong in the environment"),
        ("s3://", "does not name a bucket"),
        ("s3://t", "does not name a bucket"),
        ("s3://tide/a b", "has a prefix with other characters"),
        ("s3://tide/a//b", "has a prefix with other characters"),
        (f"s3://tide/a?secret={SECRET}", "has the option 'secret'"),
        ("s3://tide/a?region=a&region=b", "gives an option twice"),
        ("s3://tide/a?style=flat", "has another style"),
        (f"s3://tide/a?endpoint=https://key:{SECRET}@s3.example", "has an endpoint that is not an address"),
        ("s3://tide/a?endpoint=s3.example", "has an endpoint that is not an address"),
        ("s3://tide/a?endpoint=https://[", "has an endpoint that is not an address"),
        ("s3://[", "is not an address"),
        ("s3://tide/a?endpoint", "is not an address"),
    ],
)
def test_invalid_address_is_not_shown_in_its_error(
    tmp_path: Path, url: str, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error names the place in site.toml, or the environment."""
    with pytest.raises(InvalidFiles) as told:
        settings(tmp_path, f'url = "{url}"')
    (error,) = told.value.errors
    assert (error.file, error.place) == ("site.toml", "media.url")
    assert problem in error.problem
    assert SECRET not in str(error)
    monkeypatch.setenv("SITECMS_MEDIA_URL", url)
    with pytest.raises(InvalidFiles) as told:
        settings(tmp_path)
    (error,) = told.value.errors
    assert (error.file, error.place) == ("environment", "SITECMS_MEDIA_URL")
    assert SECRET not in str(error)
    assert SECRET not in repr(ServiceUrl(url))


def test_environment_overrides_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty variable leaves the file's setting."""
    monkeypatch.setenv("SITECMS_MEDIA_URL", "s3://other/b")
    assert settings(tmp_path, 'url = "s3://tide/a"').media.bucket == Bucket("other", "b/")
    monkeypatch.setenv("SITECMS_MEDIA_URL", "")
    assert settings(tmp_path, 'url = "s3://tide/a"').media.bucket == Bucket("tide", "a/")


def test_media_are_stored_in_a_folder_by_default(tmp_path: Path) -> None:
    """Readers get the files from the API server."""
    found = settings(tmp_path)
    assert (found.media.bucket, found.media.public_url) == (None, "")
    assert (found.media.serve, found.media.in_build) == (Serving.REDIRECT, InBuild.COPY)
    assert open_library(found).folder == found.media_dir


@pytest.mark.parametrize(
    ("lines", "place", "remedy"),
    [
        (['public_url = "cdn.example"'], "media.public_url", "an address such as https://"),
        (['public_url = "https://cdn.example/?a=b"'], "media.public_url", "write https://cdn.example"),
        (['in_build = "link"'], "media.in_build", "set public_url under [media]"),
        (["cache_mb = 1"], "media.cache_mb", ""),
        (['serve = "sometimes"'], "media.serve", ""),
    ],
)
def test_contradicting_settings_are_errors(tmp_path: Path, lines: list[str], place: str, remedy: str) -> None:
    """The error has its place and a remedy."""
    with pytest.raises(InvalidFiles) as told:
        settings(tmp_path, *lines)
    assert [error.place for error in told.value.errors] == [place]
    assert remedy in told.value.errors[0].remedy


def test_example_address_is_valid() -> None:
    """The example in error messages is valid."""
    from sitecms.settings.media import EXAMPLE

    assert list(bucket_problems(ServiceUrl(EXAMPLE))) == []
