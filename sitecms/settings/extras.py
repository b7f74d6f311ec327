"""The optional packages that the settings of a site need: `build`, `doctor` and `deploy container` agree on them."""

from collections.abc import Iterator

from msgspec import Struct

from sitecms.errors import ConfigurationError
from sitecms.optional_packages import Extra, is_installed, missing_package
from sitecms.plugins.site_plugins import FORMULA
from sitecms.settings.site import SiteSettings


class NeededExtra(Struct, frozen=True):
    """An extra, and what needs it, as a message begins."""

    extra: Extra
    what: str


def needed_extras(settings: SiteSettings) -> Iterator[NeededExtra]:
    """Yield the extras that these settings need."""
    if "br" in settings.delivery.precompress:
        yield NeededExtra(Extra.BROTLI, '"br" in precompress under [delivery]')
    for extra in (Extra.EMOJI, Extra.MATH):
        is_replaced = extra is Extra.MATH and settings.plugins.has(FORMULA)
        if extra.value in settings.markdown_extensions and not is_replaced:
            yield NeededExtra(extra, f"{extra} under [markdown]")
    if settings.store_url:
        yield NeededExtra(Extra.POSTGRES, "The store on PostgreSQL")
    if settings.queue_url:
        yield NeededExtra(Extra.REDIS, "The queue on Redis")
    if settings.media.bucket is not None:
        yield NeededExtra(Extra.S3, "Object storage for media")


def check_extra(settings: SiteSettings, extra: Extra) -> None:
    """Raise ConfigurationError if these settings need the extra and it is not installed."""
    for needed in needed_extras(settings):
        if needed.extra is extra and not is_installed(extra):
            raise ConfigurationError(missing_package(extra, needed.what))
