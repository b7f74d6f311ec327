"""Metadata are removed from media files, and pixels, sound and film stay as they are."""

import base64
import io
import struct
import warnings
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageOps, ImageSequence

from sitecms.errors import InvalidMedia
from sitecms.media.decoding.file_types import identify
from sitecms.media.metadata import strip_metadata
from tests.media import revealing
from tests.media.revealing import FILES, SECRET, box, drawn, leftovers
from tests.support.pictures import image_bytes

PICTURES = ["phone.jpg", "screen.png", "photo.webp", "drawn.gif", "photo.avif"]


def stripped(data: bytes) -> bytes:
    return strip_metadata(data, identify(data, "x").content_type)


def opened(data: bytes) -> Image.Image:
    with warnings.catch_warnings(action="ignore"):
        return Image.open(io.BytesIO(data), formats=["JPEG", "PNG", "WEBP", "GIF", "AVIF"])


def pixels(data: bytes) -> list[tuple[str, bytes, Any]]:
    """Every frame, with its time."""
    with opened(data) as image:
        return [(each.mode, each.tobytes(), each.info.get("duration")) for each in ImageSequence.Iterator(image)]


@pytest.mark.parametrize("name", FILES)
def test_metadata_are_removed(name: str) -> None:
    """No place, name, comment, thumbnail or further picture is left in a file of any kind."""
    assert leftovers(FILES[name])
    assert leftovers(stripped(FILES[name])) == []


@pytest.mark.parametrize("name", PICTURES)
def test_pixels_and_profile_stay(name: str) -> None:
    """The pixels are the same to the bit, and so is the colour profile."""
    before, after = FILES[name], stripped(FILES[name])
    assert pixels(after)[0] == pixels(before)[0]
    with opened(before) as one, opened(after) as other:
        assert other.info.get("icc_profile") == one.info.get("icc_profile")
        assert other.size == one.size


@pytest.mark.parametrize("name", FILES)
def test_stripping_twice_changes_nothing(name: str) -> None:
    """A stripped file is the very same object when it is stripped again."""
    once = stripped(FILES[name])
    assert stripped(once) is once


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("kind", ["jpeg", "png", "webp"])
def test_orientation_stays(kind: str, orientation: int) -> None:
    """A picture that lies on its side is shown upright as before, and its EXIF holds that alone."""
    before = getattr(revealing, kind)(orientation)
    after = stripped(before)
    assert leftovers(after) == []
    with opened(before) as one, opened(after) as other:
        assert dict(other.getexif()) == ({} if orientation == 1 else {0x0112: orientation})
        assert ImageOps.exif_transpose(other).tobytes() == ImageOps.exif_transpose(one).tobytes()
    assert stripped(after) is after


@pytest.mark.parametrize("kind", ["GIF", "PNG", "WEBP", "AVIF"])
def test_animations_stay_animated(kind: str) -> None:
    """All frames, their times and the loop count stay."""
    frames = [drawn(), *(Image.new("RGB", (60, 40), color) for color in ("lime", "navy"))]
    options: dict[str, Any] = {"save_all": True, "append_images": frames[1:], "duration": [100, 200, 300], "loop": 2}
    extra = {"comment": SECRET} if kind == "GIF" else {"exif": revealing.tiff()}
    before = image_bytes(frames[0], kind, **options, **extra)
    after = stripped(before)
    assert SECRET in before
    assert leftovers(after) == []
    assert pixels(after) == pixels(before)
    with opened(before) as one, opened(after) as other:
        assert other.info.get("loop") == one.info.get("loop")


@pytest.mark.parametrize(
    "options",
    [{"progressive": True}, {"restart_marker_blocks": 1}, {"subsampling": 2}, {"quality": 100}],
    ids=["progressive", "restarts", "subsampled", "fine"],
)
def test_every_kind_of_jpeg_is_stripped(options: dict[str, Any]) -> None:
    """Progressive files, and those with restart markers, keep all of their scans."""
    noise = Image.effect_noise((300, 200), 90).convert("RGB")
    before = image_bytes(noise, "JPEG", comment=SECRET, **options)
    after = stripped(before)
    assert leftovers(after) == []
    assert pixels(after) == pixels(before)


def test_further_pictures_of_a_phone_file_are_removed() -> None:
    """Of a multi-picture file the first picture stays, and it is a plain JPEG from then on."""
    before = image_bytes(drawn(), "MPO", save_all=True, append_images=[drawn((20, 10))])
    after = stripped(before)
    assert before.count(b"\xff\xd8\xff") == 2
    assert after.count(b"\xff\xd8\xff") == 1
    assert pixels(after) == pixels(before)[:1]
    with opened(after) as image:
        assert image.format == "JPEG"


def test_a_jpeg_for_print() -> None:
    """The Adobe segment decides how the inks of a CMYK file are read, and stays."""
    before = image_bytes(drawn().convert("CMYK"), "JPEG", comment=SECRET)
    assert pixels(stripped(before)) == pixels(before)


def test_transparency_stays() -> None:
    """Palettes, transparent colours and alpha channels stay."""
    faded = drawn(mode="RGBA")
    faded.putalpha(Image.linear_gradient("L").resize(faded.size))
    palette = drawn().quantize(8)
    for before in (
        image_bytes(faded, "PNG"),
        image_bytes(faded, "WEBP", lossless=True, exif=revealing.tiff()),
        image_bytes(faded, "WEBP", quality=50, exif=revealing.tiff()),
        image_bytes(faded, "AVIF", exif=revealing.tiff()),
        image_bytes(palette, "PNG", transparency=2),
        image_bytes(palette, "GIF", transparency=2, comment=SECRET),
    ):
        assert pixels(stripped(before)) == pixels(before)
        assert leftovers(stripped(before)) == []


def test_file_without_metadata_is_unchanged() -> None:
    """A file as an encoder writes it has nothing to remove, and stays the same object."""
    for kind in ("JPEG", "PNG", "WEBP", "AVIF"):
        data = image_bytes(drawn(), kind)
        assert stripped(data) is data or kind == "AVIF"


def test_videos_keep_their_samples_and_offsets() -> None:
    """A film's samples stay where they are; a track of GPS samples is gone with its samples."""
    before = FILES["film.mp4"]
    after = stripped(before)
    place = before.index(b"picture!" * 3)
    assert after.index(b"picture!" * 3) == place
    assert after[place + 24 : place + 48] == bytes(24)
    assert b"vide" in after
    assert b"trak" in after
    assert after.count(b"trak") == 1


def test_a_drawing_keeps_what_is_shown() -> None:
    """Titles, attributes and the picture inside of an SVG stay, and it is well-formed; UTF-16 becomes UTF-8."""
    after = stripped(FILES["map.svg"])
    assert identify(after, "x") == identify(FILES["map.svg"], "x")
    assert "<title>Töne</title>".encode() in after
    assert b'<rect width="30" xlink:title="kept"  height="20" fill="navy"/>' in after
    photo = base64.b64decode(after.split(b"base64,")[1].split(b'"')[0])
    assert pixels(photo) == pixels(stripped(revealing.jpeg()))
    wide = FILES["map.svg"].decode().replace("UTF-8", "UTF-16").encode("utf-16")
    assert "<title>Töne</title>".encode() in stripped(wide)
    assert leftovers(stripped(wide)) == []


NAMESPACES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
PUBLIC = '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN"\n "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">\n'
FONT = "@font-face { font-family: Hand; src: url(data:font/woff2;base64,d09GMg==) format('woff2'); }"
REMOTE_FONT = '@font-face { font-family: "Virgil"; src: url("https://secret.example/Virgil.woff2"); }'
PROGRAMS = {
    "Graphviz": '<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n' + PUBLIC + "<!-- Generated by secret\n -->\n"
    f'<svg width="62pt" height="116pt" viewBox="0.00 0.00 62.00 116.00" {NAMESPACES}>\n<g id="graph0" class="graph">'
    '<title>G</title><polygon fill="white" points="-4,4 -4,-112 58,-112 58,4 -4,4"/>'
    "<!-- secret -->\n<g id=\"node1\" class=\"node\"><text>A</text></g></g></svg>",
    "matplotlib": '<?xml version="1.0" encoding="utf-8" standalone="no"?>\n' + PUBLIC
    + f'<svg {NAMESPACES} width="460.8pt" height="345.6pt" version="1.1"><metadata><rdf:RDF'
    ' xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:cc="http://creativecommons.org/ns#">'
    "<cc:Work>secret</cc:Work></rdf:RDF></metadata><defs><style type=\"text/css\">*{stroke-linejoin: round}</style>"
    '</defs><g clip-path="url(#p1)"><use xlink:href="#m1" x="3" style="stroke: #000000"/></g></svg>',
    "draw.io": '<?xml version="1.0" encoding="UTF-8"?>\n<!-- secret -->\n' + PUBLIC
    + f'<svg {NAMESPACES} version="1.1" width="121px" height="61px" viewBox="-0.5 -0.5 121 61"'
    ' content="&lt;mxfile host=&quot;secret&quot;&gt;image=url(a\\b)&lt;/mxfile&gt;"><defs/>'
    '<g><rect x="0" width="120" fill="#ffffff"/><text x="60">A</text></g></svg>',
    "Inkscape": '<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n<!-- Created with secret -->\n' + PUBLIC
    + f'<svg {NAMESPACES} xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape"'
    ' xmlns:sodipodi="http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd" width="210mm" height="297mm"'
    ' sodipodi:docname="/home/secret/a.svg" inkscape:version="1.2"><sodipodi:namedview inkscape:zoom="0.7"/>'
    "<metadata>secret</metadata><g inkscape:label=\"secret\" id=\"layer1\" style=\"fill:none;"
    "-inkscape-font-specification:'Sans, Normal'\"><path d=\"m 1,1 9,0\"/></g></svg>",
    "Excalidraw": f'<svg version="1.1" {NAMESPACES} viewBox="0 0 200 100" width="200" height="100">'
    "<!-- svg-source:secret --><!-- payload-start -->eyJ2<!-- payload-end --><defs><style class=\"style-fonts\">"
    f"{FONT}\n{REMOTE_FONT}</style></defs><text font-family=\"Hand\">A</text></svg>",
    "PlantUML": '<?xml version="1.0" encoding="UTF-8" standalone="no"?><?plantuml secret?>'
    f'<svg {NAMESPACES} contentStyleType="text/css" width="78px" height="98px"><?plantuml-src secret?><defs/>'
    "<g><!--MD5=[secret]--><rect width=\"9\"/></g></svg>",
    "a program with a style sheet": f'<?xml-stylesheet type="text/css" href="secret.css"?>{PUBLIC}<svg {NAMESPACES}/>',
}  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_drawing_of_a_program_is_published_without_what_shows_nothing(program: str, encoding: str) -> None:
    """Document type, processing instructions, comments and what the program keeps for itself are gone."""
    text = PROGRAMS[program].replace("UTF-8", encoding[:6].upper()).replace('"utf-8"', f'"{encoding[:6]}"')
    before = text.encode(encoding)
    after = stripped(before)
    assert identify(after, "x") == identify(before, "x")
    assert not {each for each in (b"secret", b"<!DOCTYPE", b"<!--", b"mxfile") if each in after}
    assert after.count(b"<?") <= 1
    shown = [each for each in ("<text", "<rect", "<path", "<polygon", "<use", "#p1", FONT) if each in text]
    assert [each for each in shown if each.encode() not in after] == []
    assert stripped(after) is after


@pytest.mark.parametrize(
    "css",
    [
        "&#64;font-face{src:url(https://else.example/a)}",
        "@font-face{src:url(https://else.example/a)}",
        "<![CDATA[@font-face{src:url(https://else.example/a)}]]>",
        "@font-face{src:u&#114;l(https://else.example/a)}",
        "@font-face{src:url(data:font/woff2;base64,AA==),url(https://else.example/a)}",
        "@imp@font-face{src:url(a)}ort url(https://else.example/a);",
        "/*@font-face{*/ } p { fill: url(https://else.example/a) }",
        "@font-face{src:url(data:text/html;base64,AA==)}",
    ],
)
def test_no_published_drawing_loads_a_font(css: str) -> None:
    """A rule is removed, or the drawing is refused where the rule is written so that it is not found."""
    drawing = f"<svg {NAMESPACES}><style>{css}</style></svg>".encode()
    try:
        identify(drawing, "x")
        after = stripped(drawing)
    except InvalidMedia:
        return
    assert b"else.example" not in after
    assert b"text/html" not in after


def in_switch(html: str, fallback: str) -> bytes:
    """Return a drawing as draw.io writes it: HTML, and what is shown where there is none."""
    foreign = (
        f'<foreignObject requiredFeatures="x"><div xmlns="http://www.w3.org/1999/xhtml">{html}</div></foreignObject>'
    )
    return f"<svg {NAMESPACES}><g><switch>{foreign}{fallback}</switch></g><rect/></svg>".encode()


@pytest.mark.parametrize(
    ("html", "fallback", "shown"),
    [
        (
            "<div>Page <b>table</b></div>",
            '<text x="9">[Not supported by viewer]</text>',
            '<text x="9">Page table</text>',
        ),
        ("A&lt;B> &amp; Ü", "<text>[Object]</text>", "<text>A&lt;B&gt; &amp; &#220;</text>"),
        ("<b>a</b><i>b</i><td>c</td><td>d</td>", "<text>[Object]</text>", "<text>ab c d</text>"),
        ("<style>.a{}</style>b<script>x()</script>", "<text>[Object]</text>", "<text>b</text>"),
        ("A very long label", "<text>A very lo...</text>", "<text>A very long label</text>"),
        ("A label", "<text>Another...</text>", "<text>Another...</text>"),
        ("A label", "<text>A label</text>", "<text>A label</text>"),
        ("<b>A&#160;label</b>", "<text>&lt;b>A&amp;nbsp;label&lt;/b></text>", "<text>A label</text>"),
        ("A label", "<text>&lt;b>Another&lt;/b></text>", "<text>&lt;b>Another&lt;/b></text>"),
        ("A label", "<text>[Object]<tspan>x</tspan></text>", "<text>[Object]<tspan>x</tspan></text>"),
        ("A label", "<text><!-- secret -->[Object]</text>", "<text>A label</text>"),
        ("A label", "<text/><text>[Object]</text>", "<text/><text>[Object]</text>"),
        ("", "<text>[Object]</text>", "<text>[Object]</text>"),
        ("A<br/>B", "<g><text>[Object]</text></g>", "<g><text>[Object]</text></g>"),
        (
            "One<br/><div>two</div>",
            '<text x="&quot;5">[Object]</text>',
            """<text x="&quot;5"><tspan x='"5' dy="-0.6em">One</tspan><tspan x='"5' dy="1.2em">two</tspan></text>""",
        ),
    ],
)
def test_a_text_of_a_drawing_takes_the_place_of_its_label_in_html(html: str, fallback: str, shown: str) -> None:
    """It is the whole label where the drawing program wrote that its viewer cannot show it, or cut it off."""
    drawing = in_switch(html, fallback)
    identify(drawing, "x")
    after = stripped(drawing)
    assert after == f"<svg {NAMESPACES}><g><switch>{shown}</switch></g><rect/></svg>".encode()
    assert stripped(after) is after


@pytest.mark.parametrize(
    "html",
    [
        "<script>secret()</script>",
        '<img src="https://secret.example/" onerror="secret()"/>',
        '<iframe src="javascript:secret()"/>',
        '<a href="javascript:secret()"></a>',
        '<svg xmlns="http://www.w3.org/2000/svg"><script>secret()</script></svg>',
        "<style>@import 'https://secret.example/';</style>",
        "<foreignObject/><![CDATA[</foreignObject>]]><script>secret()</script>",
        "<!-- </foreignObject> --><script>secret()</script>",
        '<p title="&lt;/foreignObject>" onclick="secret()"></p>',
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_nothing_of_html_in_a_drawing_is_published(html: str, encoding: str) -> None:
    """Elements and attributes are gone; the text of a label is no more than text."""
    drawing = in_switch(html, "<image id='i'/>")
    identify(wide := drawing.decode().encode(encoding), "x")
    assert stripped(wide).decode() == f"<svg {NAMESPACES}><g><switch><image id='i'/></switch></g><rect/></svg>"


def test_markup_in_the_text_of_a_label_stays_text() -> None:
    """What is escaped in HTML is escaped in the drawing."""
    after = stripped(in_switch("&lt;script>secret()&lt;/script>", "<text>[Object]</text>"))
    assert b"<text>&lt;script&gt;secret()&lt;/script&gt;</text>" in after


def test_a_link_in_a_drawing_is_removed_and_its_text_stays() -> None:
    """Graphviz and draw.io write links, which no reader of a picture can follow."""
    link = '<a xlink:href="https://secret.example/" xlink:title="T"><text>A</text></a><a href="#b"/>'
    drawing = f"<svg {NAMESPACES}>{link}</svg>".encode()
    identify(drawing, "x")
    assert stripped(drawing) == f'<svg {NAMESPACES}><a xlink:title="T"><text>A</text></a><a href="#b"/></svg>'.encode()


def test_an_entity_of_a_dropped_document_type_is_refused() -> None:
    """What a document type elsewhere may declare is unknown without it."""
    drawing = f"{PUBLIC}<svg {NAMESPACES}><text>&nbsp;</text></svg>".encode()
    with pytest.raises(InvalidMedia, match="undefined entity"):
        stripped(drawing)


def test_documents_and_other_sound_stay() -> None:
    """PDF, MP3, Ogg and WebM files are published as they are."""
    for data, kind in ((b"%PDF-1.7 x", "application/pdf"), (b"ID3 x", "audio/mpeg"), (b"OggS", "audio/ogg")):
        assert strip_metadata(data, kind) is data


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"\xff\xd8\xff\xe0\xff\xff", "image/jpeg"),
        (b"RIFF\xff\xff\x00\x00WEBPVP8L\xff\xff\x00\x00", "image/webp"),
        (b"GIF89a\x01\x00", "image/gif"),
        (b"\x00\x00\x00\x01", "video/mp4"),
    ],
)
def test_broken_files_are_refused(data: bytes, kind: str) -> None:
    """A file whose structure is broken is refused with a line that says what to do."""
    with pytest.raises(InvalidMedia, match="save it again"):
        strip_metadata(data, kind)


def test_deeply_nested_boxes_are_refused() -> None:
    """A film of boxes in boxes in boxes is refused."""
    inner = b""
    for _ in range(3000):
        inner = box(b"trak", inner)
    with pytest.raises(InvalidMedia, match="nested"):
        strip_metadata(box(b"ftyp", b"isom") + box(b"moov", inner), "video/mp4")


def test_oversized_metadata_fields_are_refused() -> None:
    """A track that names the whole file over and over again costs no more than the file's size."""
    data = revealing.mp4()
    tables = box(b"stsc", struct.pack(">IIIII", 0, 1, 1, 1, 1)), box(b"stsz", struct.pack(">III", 0, 1 << 30, 1))
    offsets = box(b"stco", struct.pack(">II", 0, 100_000), bytes(400_000))
    handler = box(b"hdlr", bytes(8) + b"meta" + bytes(13))
    track = box(b"trak", box(b"mdia", handler, box(b"minf", box(b"stbl", *tables, offsets))))
    with pytest.raises(InvalidMedia, match="larger than the file"):
        strip_metadata(data[:-4] + box(b"moov", track), "video/mp4")


@settings(deadline=None)
@given(st.sampled_from(sorted(FILES)), st.data())
def test_damaged_files_raise_invalid_media_only(name: str, data: st.DataObject) -> None:
    """Whatever is wrong with a file, it is stripped or refused as media, and never fails in another way."""
    made = bytearray(FILES[name])
    for _ in range(data.draw(st.integers(1, 6))):
        made[data.draw(st.integers(0, len(made) - 1))] = data.draw(st.integers(0, 255))
    made = made[: data.draw(st.integers(0, len(made)))]
    kind = identify(FILES[name], name).content_type
    with suppress(InvalidMedia):
        strip_metadata(bytes(made), kind)
