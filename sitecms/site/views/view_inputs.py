"""What views stand for in a fingerprint, and the media files they name."""

from sitecms.content.fingerprint import digest
from sitecms.content.media import MEDIA_PREFIX
from sitecms.site.images.images import ImageVariants
from sitecms.site.theme.assets import media_named, plain_json

_MEDIA_IN_JSON = MEDIA_PREFIX.encode()


def view_inputs(view: object, variants: ImageVariants) -> tuple[object, tuple[str, ...]]:
    """A digest of the view with what is known of the images that its Markdown may name; and the media it names."""
    data = plain_json(view)
    named = media_named(data, variants.media) if _MEDIA_IN_JSON in data else ()
    return (digest(data), [(file.name, variants.facts(file.url)) for file in named]), tuple(file.name for file in named)
