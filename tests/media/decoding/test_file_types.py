"""What a media file is, decided by its bytes."""

import io
import struct
import zlib
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from sitecms.errors import InvalidMedia
from sitecms.media.decoding.file_types import Identified, identify
from sitecms.media.decoding.normalize import normalize
from sitecms.media.metadata import strip_metadata

SVG = (
    b'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    b' width="30" height="20"%s>%s</svg>'
)
MP3_FRAME = b"\xff\xfb\x90\x64" + b"\0" * 413


def picture(kind: str, *, orientation: int = 1) -> bytes:
    buffer = io.BytesIO()
    exif = Image.Exif()
    exif[0x0112] = orientation
    image = Image.new("RGB", (30, 20), "navy")
    image.save(buffer, kind, exif=exif) if kind != "GIF" else image.save(buffer, kind)
    return buffer.getvalue()


def png_header(width: int, height: int) -> bytes:
    """A PNG that claims a size and holds next to nothing."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


@pytest.mark.parametrize(
    ("kind", "content_type", "extension"),
    [
        ("JPEG", "image/jpeg", "jpg"),
        ("PNG", "image/png", "png"),
        ("WEBP", "image/webp", "webp"),
        ("GIF", "image/gif", "gif"),
        ("AVIF", "image/avif", "avif"),
    ],
)
def test_images(kind: str, content_type: str, extension: str) -> None:
    """Each kept format is known by its bytes, under any name, with its size."""
    assert identify(picture(kind), "x.txt") == Identified(content_type, extension, 30, 20)


def with_wrong_checksum(png: bytes, kind: bytes) -> bytes:
    """Return a PNG with a chunk behind its header, whose checksum is not its own."""
    content = b"mxGraphModel\0\0" + zlib.compress(b"<mxGraphModel/>")
    return png[:33] + struct.pack(">I", len(content)) + kind + content + struct.pack(">I", 7) + png[33:]


@pytest.mark.parametrize("kind", [b"zTXt", b"iCCP", b"tEXt", b"eXIf"])
def test_a_png_with_a_wrong_checksum_where_browsers_do_not_mind(kind: bytes) -> None:
    """Text of draw.io and other chunks that no decoding needs are left out; the published form has none of them."""
    plain = picture("PNG")
    png = with_wrong_checksum(plain, kind)
    assert identify(png, "x") == Identified("image/png", "png", 30, 20)
    assert strip_metadata(png, "image/png") == strip_metadata(plain, "image/png")
    assert normalize(png) == normalize(plain)


def test_a_png_with_a_wrong_checksum_in_what_decoding_needs_is_refused() -> None:
    """No browser shows it either."""
    with pytest.raises(InvalidMedia):
        identify(with_wrong_checksum(picture("PNG"), b"PLTE"), "x")


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "AVIF"])
def test_orientation_turns_the_size(kind: str) -> None:
    """Width and height are those of the image as it is shown."""
    sizes = [identify(picture(kind, orientation=turn), "x") for turn in range(1, 9)]
    assert [(size.width, size.height) for size in sizes] == [(30, 20)] * 4 + [(20, 30)] * 4


def test_a_jpeg_of_several_pictures_is_a_jpeg() -> None:
    """A phone's multi-picture file counts as the JPEG it begins with."""
    buffer = io.BytesIO()
    image = Image.new("RGB", (30, 20))
    image.save(buffer, "MPO", save_all=True, append_images=[image])
    assert identify(buffer.getvalue(), "x.mpo") == Identified("image/jpeg", "jpg", 30, 20)


@pytest.mark.parametrize("kind", ["BMP", "TIFF", "ICO", "PPM", "TGA", "JPEG2000", "PCX", "DDS"])
def test_other_image_formats_are_refused(kind: str) -> None:
    """Formats outside the list are refused, though Pillow could read them."""
    buffer = io.BytesIO()
    Image.new("RGB", (30, 20)).save(buffer, kind)
    with pytest.raises(InvalidMedia, match=r"^photo\.jpg: not a JPEG, PNG"):
        identify(buffer.getvalue(), "photo.jpg")


@pytest.mark.parametrize("side", [7_072, 10_000, 20_000, 2**31 - 1])
def test_too_many_pixels_are_refused(side: int) -> None:
    """More than 50 megapixels are refused from the header, before anything is decoded."""
    with pytest.raises(InvalidMedia, match="megapixels"):
        identify(png_header(side, side), "bomb.png")


def test_fifty_megapixels_are_kept() -> None:
    """The limit itself is allowed."""
    assert identify(png_header(10_000, 5_000), "x.png").width == 10_000


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "GIF", "AVIF"])
@given(data=st.data())
def test_damaged_images_are_refused_or_identified(kind: str, data: st.DataObject) -> None:
    """Cut or altered bytes never raise anything but InvalidMedia."""
    whole = picture(kind, orientation=6) if kind != "GIF" else picture(kind)
    cut = data.draw(st.integers(0, len(whole)))
    place = data.draw(st.integers(0, len(whole) - 1))
    damaged = bytearray(whole[:cut] if cut % 2 else whole)
    if place < len(damaged):
        damaged[place] ^= data.draw(st.integers(1, 255))
    with suppress(InvalidMedia):
        assert identify(bytes(damaged), "x").extension


@pytest.mark.parametrize(
    ("data", "name", "expected"),
    [
        (b"%PDF-1.7\n", "x", Identified("application/pdf", "pdf")),
        (b"ID3\x04\0\0\0\0\0\0" + MP3_FRAME, "x", Identified("audio/mpeg", "mp3")),
        (MP3_FRAME * 2, "Song.MP3", Identified("audio/mpeg", "mp3")),
        (b"OggS\0\2" + b"\0" * 22 + b"\x01vorbis", "x", Identified("audio/ogg", "ogg")),
        (b"OggS\0\2" + b"\0" * 22 + b"OpusHead", "x", Identified("audio/ogg", "ogg")),
        (b"OggS\0\2" + b"\0" * 22 + b"\x80theora", "x", Identified("video/ogg", "ogv")),
        (b"\0\0\0\x20ftypisom\0\0\2\0", "x", Identified("video/mp4", "mp4")),
        (b"\0\0\0\x20ftypM4A \0\0\2\0", "x", Identified("audio/mp4", "m4a")),
        (b"\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82\x84webm", "x", Identified("video/webm", "webm")),
        (b"WEBVTT\n\n00:01.000 --> 00:02.000\nA wave\n", "x", Identified("text/vtt", "vtt")),
        (b"\xef\xbb\xbfWEBVTT - Captions", "x", Identified("text/vtt", "vtt")),
    ],
)
def test_documents_sound_and_video(data: bytes, name: str, expected: Identified) -> None:
    """Attachments are known by their signatures, and have no size."""
    assert identify(data, name) == expected


@pytest.mark.parametrize(
    "data",
    [
        b"", b"\0", b"plain text", b"MZ\x90", b"PK\x03\x04", b"#!/bin/sh", b"GIF89", b"\xff\xd8\xff",
        b"\xff\xfb\x90\x64", b"\0\0\0\x20ftypheic", b"\0\0\0\x20ftypqt  ", b"OggS" + b"\0" * 60, b" %PDF-1.7",
        b"\x1a\x45\xdf\xa3\x42\x82\x88matroska", b"<!doctype html><p>x", b"<html><script>1</script></html>", b"<p>x",
        b"<?xml version='1.0'?><rss/>", b"<svg/>", b"RIFF\0\0\0\0WAVE", b"<", b"\xef\xbb\xbf<",
    ],
)  # fmt: skip
def test_other_files_are_refused(data: bytes) -> None:
    """Everything else is refused with a message that names the file."""
    with pytest.raises(InvalidMedia, match=r"^x: "):
        identify(data, "x")


@pytest.mark.parametrize(
    ("root", "size"),
    [
        (' width="30" height="20"', (30, 20)),
        (' width="30px" height="1.5in"', (30, 144)),
        (' width="10mm" height="1cm"', (38, 38)),
        (' viewBox="0 0 300 200"', (300, 200)),
        (' width="100%" height="auto" viewBox="0,0,30.4,19.6"', (30, 20)),
        (' width="0" height="1e9" viewBox="0 0 x y"', (None, None)),
        ("", (None, None)),
    ],
)
def test_svg_size(root: str, size: tuple[int | None, int | None]) -> None:
    """A drawing's size comes from width and height, or else from its viewBox."""
    data = f'<svg xmlns="http://www.w3.org/2000/svg"{root}/>'.encode()
    assert identify(data, "x.png") == Identified("image/svg+xml", "svg", *size)


@pytest.mark.parametrize(
    "inner",
    [
        b'<title>T &lt;b&gt;</title><path d="M0 0h9" fill="url(#g)" style="stroke:url( \'#g\' )"/><use href="#p"/>',
        b"<style>@media (prefers-color-scheme: dark) { path { fill: url(#g) } }</style>",
        b'<text aria-label="a@b.c">@</text>',
        b'<image xlink:href="data:image/png;base64,iVBORw0K\n Ggo="/><a href="#x"><text>x</text></a>',
        b'<animate attributeName="opacity" values="0;1" dur="1s"/><!-- a comment -->',
        b'<x:meta xmlns:x="http://ns.example/"><x:on a="1"/></x:meta>',
        b'<a xlink:href="https://x.example/"><text>x</text></a><a href="mailto:a@x.example"/>',
        b'<switch><foreignObject><p xmlns="http://www.w3.org/1999/xhtml">x</p></foreignObject><text>x</text></switch>',
        b"<switch><foreignObject/><title>x</title><g><image/></g></switch><rect/>",
        b"<switch><foreignObject/><switch><foreignObject/><path/></switch></switch>",
    ],
)
def test_harmless_drawings_are_kept(inner: bytes) -> None:
    """Gradients, own styles, embedded pictures, animation, editors' own elements and what is removed are allowed."""
    assert identify(SVG % (b"", inner), "x.svg").width == 30


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_svg_encodings(encoding: str) -> None:
    """A drawing is read in the encodings XML has."""
    declared = {"latin-1": "<?xml version='1.0' encoding='ISO-8859-1'?>"}.get(encoding, "")
    text = declared + (SVG % (b"", b"<title>~</title>")).decode().replace("~", "é")
    assert identify(text.encode(encoding), "x.svg").extension == "svg"


@pytest.mark.parametrize(
    ("root", "inner"),
    [
        (b"", b"<script>alert(1)</script>"),
        (b"", b'<SCRIPT href="data:,alert(1)"/>'),
        (b"", b'<s:script xmlns:s="http://www.w3.org/2000/svg">alert(1)</s:script>'),
        (b"", b'<script xmlns="http://www.w3.org/1999/xhtml">alert(1)</script>'),
        (b"", b'<h:p xmlns:h="http://www.w3.org/1999/xhtml">x</h:p>'),
        (b"", b"<foreignObject/>"),
        (b"", b"<g><foreignObject/><text>x</text></g>"),
        (b"", b"<switch><foreignObject/></switch>"),
        (b"", b"<switch><foreignObject/><title>x</title></switch><text>x</text>"),
        (b"", b"<switch><foreignObject/><g><desc>x</desc></g></switch>"),
        (b"", b"<switch><foreignObject/><defs><path/></defs></switch>"),
        (
            b"",
            b"<defs><switch><foreignObject/><path/></switch></defs><switch><foreignObject/><defs><path/></defs></switch>",
        ),
        (b"", b"<switch><g><text>x</text><foreignObject/></g></switch>"),
        (b"", b"<switch><text>x</text><foreignObject/></switch>"),
        (b"", b"<switch><foreignobject/><text>x</text></switch>"),
        (b"", b"<switch><foreignObject/><script>alert(1)</script></switch>"),
        (b"", b"<iframe/>"),
        (b' onload="alert(1)"', b""),
        (b"", b'<g OnClick="alert(1)"/>'),
        (b"", b'<g xmlns:e="http://www.w3.org/2001/xml-events" e:onclick="x"/>'),
        (b"", b'<a href="javascript:alert(1)"/>'),
        (b"", b'<a xlink:href=" javascript:alert(1)"/>'),
        (b"", b'<a src="https://x.example/"/>'),
        (b"", b'<a xlink:href="//x.example/"/>'),
        (b"", b'<a href="#x" ping="https://x.example/"/>'),
        (b"", b'<image href="https://x.example/a.png"/>'),
        (b"", b'<image href="other.png"/>'),
        (b"", b'<image href=""/>'),
        (b"", b'<use href="data:image/svg+xml,&lt;svg/>#x"/>'),
        (b"", b'<use xlink:href="other.svg#x"/>'),
        (b"", b'<feImage href="//x.example/a"/>'),
        (b"", b'<set attributeName="href" to="javascript:alert(1)"/>'),
        (b"", b'<animate attributeName=" xlink:href " values="javascript:alert(1)"/>'),
        (b"", b'<set attributeName="onclick" to="alert(1)"/>'),
        (b"", b"<style>@import 'x.css';</style>"),
        (b"", b"<style>@im<!-- -->port 'x.css';</style>"),
        (b"", b"<style><![CDATA[p{fill:url(https://x.example/)}]]></style>"),
        (b"", b"<style>p{fill:u\\72l(https://x.example/)}</style>"),
        (b"", b"<style>@font-face{src:url(x)}p{fill:url(x)}</style>"),
        (b"", b'<g style="@font-face{src:url(x)}"/>'),
        (b"", b'<path style="fill:url(//x.example/)"/>'),
        (b"", b'<path style="fill:url( &quot;data:x&quot; )"/>'),
        (b"", b'<path fill="URL(x.svg#g)"/>'),
        (b"", b'<path filter="u\\72l(x.svg#g)"/>'),
        (b"", b'<set attributeName="fill" to="url(x.svg#g)"/>'),
        (b' xml:base="https://x.example/"', b""),
        (b"", b"&undefined;"),
        (b"", b"<unclosed>"),
        (b"", b"\xff\xfe"),
    ],
)
def test_active_drawings_are_refused(root: bytes, inner: bytes) -> None:
    """Scripts, handlers, foreign content and everything that reaches outside the file are refused."""
    with pytest.raises(InvalidMedia, match=r"^x\.svg: "):
        identify(SVG % (root, inner), "x.svg")


@pytest.mark.parametrize(
    "doctype",
    [
        b"<!DOCTYPE svg []>",
        b'<!DOCTYPE svg [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>',
        b'<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
        b'<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "svg11.dtd" [<!ENTITY ns "http://ns.example/">]>',
    ],
)
def test_document_types_with_declarations_are_refused(doctype: bytes) -> None:
    """No declaration, and with it no entity, is read; the message names what to do in a drawing program."""
    with pytest.raises(InvalidMedia, match=r"DOCTYPE.*inkscape --export-plain-svg.*Illustrator"):
        identify(doctype + SVG % (b"", b""), "x.svg")


def test_the_drawings_of_the_sample_site_are_kept() -> None:
    """Each SVG that the project ships passes its own rules."""
    for path in (Path(__file__).parents[3] / "sample_site" / "media").glob("*.svg"):
        assert identify(path.read_bytes(), path.name).width, path.name
