"""What is derived of an image: widths, formats, colour, and what is left as it is."""

import io
import random
from collections import Counter
from typing import Any

import pytest
from msgspec.structs import replace
from PIL import Image, ImageCms, ImageFilter

from sitecms.errors import InvalidMedia
from sitecms.media.images.derived_images import Derived, derive
from sitecms.settings.media import ImageSettings
from tests.support.pictures import image_bytes

SETTINGS = ImageSettings(True, (32, 64, 128), ("avif", "webp"), 55, 78)
WEBP = replace(SETTINGS, formats=("webp",))


def picture(size: tuple[int, int] = (200, 100), mode: str = "RGB") -> Image.Image:
    """A soft texture, the same each time, which takes some bytes in any format."""
    rng = random.Random(7)
    noise = Image.frombytes("RGB", size, rng.randbytes(size[0] * size[1] * 3))
    return noise.filter(ImageFilter.GaussianBlur(2)).convert(mode)


def shapes(derived: Derived, form: str) -> list[tuple[int, int]]:
    """Width and height of the variants in one format."""
    return [(variant.width, variant.height) for variant in derived.variants if variant.form == form]


@pytest.mark.parametrize("derived_form", ["avif", "webp"])
@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP"])
def test_variants_have_the_widths_of_the_settings_and_are_lighter_than_the_image(form: str, derived_form: str) -> None:
    """Each width below the image's own, in the image's own shape."""
    data = image_bytes(picture(), form, quality=95) if form != "PNG" else image_bytes(picture(), form)
    derived = derive(data, replace(SETTINGS, formats=(derived_form,)))
    assert shapes(derived, derived_form) == [(32, 16), (64, 32), (128, 64)]
    for variant in derived.variants:
        assert len(variant.data) < len(data)
        with Image.open(io.BytesIO(variant.data)) as opened:
            assert (opened.format, opened.size) == (variant.form.upper(), (variant.width, variant.height))


def test_no_image_is_enlarged() -> None:
    """An image narrower than the largest width ends with its own width; one nearly as wide as a width skips that."""
    assert shapes(derive(image_bytes(picture((100, 50)), "PNG"), WEBP), "webp") == [(32, 16), (64, 32), (100, 50)]
    assert shapes(derive(image_bytes(picture((66, 33)), "PNG"), WEBP), "webp") == [(32, 16), (66, 33)]


def test_formats_for_old_browsers_have_fewer_widths() -> None:
    """Every second width and the largest; all widths if it is the only format, or the preferred one is no lighter."""
    data, settings = image_bytes(picture(), "PNG"), replace(SETTINGS, widths=(32, 64, 96, 128), webp_quality=100)
    assert shapes(derive(data, settings), "avif") == [(32, 16), (64, 32), (96, 48), (128, 64)]
    assert shapes(derive(data, settings), "webp") == [(32, 16), (96, 48), (128, 64)]
    for alone in (replace(settings, formats=("webp",)), replace(settings, avif_quality=100, webp_quality=78)):
        assert shapes(derive(data, alone), "webp") == [(32, 16), (64, 32), (96, 48), (128, 64)]


def test_a_light_photo_is_its_own_largest_version_for_old_browsers() -> None:
    """A heavy one is not, nor is one that is larger than the largest width."""
    photo, settings = picture((600, 300)), replace(SETTINGS, widths=(160, 320, 640), avif_quality=10)
    light, heavy = image_bytes(photo, "JPEG", quality=60), image_bytes(photo, "JPEG", quality=100)
    assert len(light) < 0.2 * 600 * 300 < len(heavy)
    assert shapes(derive(light, settings), "webp") == [(160, 80)]
    assert shapes(derive(heavy, settings), "webp") == [(160, 80), (600, 300)]
    wide = image_bytes(picture((1200, 600)), "JPEG", quality=60)
    assert shapes(derive(wide, settings), "webp") == [(160, 80), (640, 320)]


def test_costs_of_a_photo(monkeypatch: pytest.MonkeyPatch) -> None:
    """A light photo in the default widths is encoded seven times; these files are nearly all work of a first build."""
    data = image_bytes(picture((1600, 900)), "JPEG", quality=60)
    encoders: list[str] = []
    save = Image.Image.save

    def counted(image: Image.Image, file: Any, form: str | None = None, **options: Any) -> None:
        encoders.append(str(form))
        save(image, file, form, **options)

    monkeypatch.setattr(Image.Image, "save", counted)
    derived = derive(data, replace(SETTINGS, widths=(320, 640, 960, 1280, 1600)))
    assert Counter(encoders) == {"AVIF": 5, "WEBP": 2}
    assert [width for width, _ in shapes(derived, "avif")] == [320, 640, 960, 1280, 1600]
    assert [width for width, _ in shapes(derived, "webp")] == [320, 960]


def test_equal_input_gives_equal_bytes() -> None:
    """Two runs agree, so that two builds do."""
    data = image_bytes(picture(), "JPEG", quality=95)
    assert derive(data, SETTINGS) == derive(data, SETTINGS)


def test_a_variant_heavier_than_the_image_is_left_out() -> None:
    """An image that was squeezed already keeps its own size to itself."""
    data = image_bytes(picture((128, 64)), "WEBP", quality=10)
    derived = derive(data, replace(SETTINGS, formats=("webp",), webp_quality=100))
    assert (128, 64) not in shapes(derived, "webp")
    assert all(len(variant.data) < len(data) for variant in derived.variants)


def test_a_preferred_format_that_is_heavier_than_the_next_is_left_out() -> None:
    """Browsers take the first format that they know, whatever it weighs."""
    data = image_bytes(picture(), "PNG")
    assert {variant.form for variant in derive(data, replace(SETTINGS, avif_quality=100)).variants} == {"webp"}
    assert {variant.form for variant in derive(data, replace(SETTINGS, webp_quality=100)).variants} == {"avif", "webp"}


def test_the_colour_is_the_average() -> None:
    """Half red, half blue is purple; the average of a partly transparent image says nothing."""
    halves = Image.new("RGB", (100, 100), "#ff0000")
    halves.paste("#0000ff", (0, 0, 50, 100))
    assert derive(image_bytes(halves, "PNG"), SETTINGS).color in ("#7f007f", "#800080")
    assert derive(image_bytes(Image.new("RGBA", (100, 100), (255, 0, 0, 90)), "PNG"), SETTINGS).color == ""
    assert derive(image_bytes(Image.new("RGBA", (100, 100), (255, 0, 0, 255)), "PNG"), SETTINGS).color == "#ff0000"


def test_transparency_is_kept() -> None:
    """A transparent PNG stays transparent as WebP and AVIF."""
    image = picture((100, 100), "RGBA")
    image.putalpha(Image.linear_gradient("L").resize((100, 100)))
    for variant in derive(image_bytes(image, "PNG"), SETTINGS).variants:
        with Image.open(io.BytesIO(variant.data)) as opened:
            assert opened.mode == "RGBA"
            assert sum(opened.getchannel("A").histogram()[:40]) > 0


def test_a_phones_picture_is_upright_and_carries_no_metadata() -> None:
    """The EXIF orientation is applied; place and time of the picture are gone."""
    exif = Image.Exif()
    exif[0x0112] = 6
    exif[0x010F] = "Phone"
    derived = derive(image_bytes(picture((200, 100)), "JPEG", quality=95, exif=exif), WEBP)
    assert shapes(derived, "webp") == [(32, 64), (64, 128), (100, 200)]
    assert all(b"Phone" not in variant.data for variant in derived.variants)


def test_colours_of_another_profile_come_out_in_srgb() -> None:
    """Without its profile an image in Lab-based colours would look wrong; it is turned into sRGB."""
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    data = image_bytes(Image.new("RGB", (100, 100), "#336699"), "PNG", icc_profile=profile)
    derived = derive(data, SETTINGS)
    assert derived.color == "#336699"
    for variant in derived.variants:
        with Image.open(io.BytesIO(variant.data)) as opened:
            assert "icc_profile" not in opened.info


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "CMYK"])
def test_every_usual_mode_is_read(mode: str) -> None:
    """Black and white, grey, palettes, and what printers sent."""
    form = "JPEG" if mode == "CMYK" else "PNG"
    assert derive(image_bytes(picture((200, 200)).convert(mode), form), SETTINGS).variants


def test_animations_stay_as_they_are() -> None:
    """Nothing is made of a moving picture."""
    frames = [Image.new("RGB", (100, 100), color) for color in ("red", "blue")]
    data = image_bytes(frames[0], "GIF", save_all=True, append_images=frames[1:], duration=100)
    assert derive(data, SETTINGS) == Derived()


def test_a_broken_image_is_refused() -> None:
    """A header without a picture is no image, nor is a text."""
    data = image_bytes(picture(), "WEBP", quality=95)
    for broken in (data[:14], b"A text."):
        with pytest.raises(InvalidMedia):
            derive(broken, SETTINGS)


@pytest.mark.parametrize("form", ["JPEG", "PNG", "GIF", "WEBP", "AVIF"])
def test_of_an_image_that_is_cut_off_the_versions_show_a_part(form: str) -> None:
    """They have its size and name the problem; the next image is decoded as strictly as before."""
    data = image_bytes(picture(), form)
    whole, cut = (
        derive(data, SETTINGS, with_stand_in=True),
        derive(data[: len(data) // 2], SETTINGS, with_stand_in=True),
    )
    assert not whole.problem
    assert "truncated" in cut.problem or "missing" in cut.problem
    sizes = {(each.width, each.height) for each in whole.variants}
    assert cut.variants
    assert {(each.width, each.height) for each in cut.variants} <= sizes
    assert derive(data[: len(data) // 2], SETTINGS).problem == cut.problem
    assert derive(data, SETTINGS, with_stand_in=True) == whole


def test_a_huge_jpeg_has_its_shape_kept() -> None:
    """Decoding it smaller changes neither widths nor proportions."""
    derived = derive(image_bytes(picture((900, 300)), "JPEG", quality=95), WEBP)
    assert all(abs(width / 3 - height) <= 1 for width, height in shapes(derived, "webp"))
    assert [width for width, _ in shapes(derived, "webp")] == [32, 64, 128]
