"""Decoding what strangers sent: written anew, stripped, limited, and unable to hurt the worker."""

import io
import os
import random
import struct
import subprocess
import sys
import time
import zipfile
import zlib
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageCms, ImageSequence

from sitecms.actions.writing.apply.fetching import import_remote
from sitecms.errors import InvalidMedia, RemoteMissing
from sitecms.media.decoding import normalize, sandbox
from sitecms.media.decoding.sandbox import SandboxLimits, normalized
from sitecms.media.fetching.fetch import Budget, FetchRules
from sitecms.media.library import MediaLibrary
from sitecms.media.storage import LocalStorage
from tests.media.conftest import Remote
from tests.support.pictures import image_bytes

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
STILL = ["JPEG", "PNG", "WEBP", "AVIF"]
MOVING = ["GIF", "WEBP", "PNG", "AVIF"]
SECRET = b"Secret"


def quarters() -> Image.Image:
    """Four quarters, red and green above, blue and white below; 60 pixels by 40."""
    image = Image.new("RGB", (60, 40), "red")
    for color, place in (("green", (30, 0)), ("blue", (0, 20)), ("white", (30, 20))):
        image.paste(color, (*place, place[0] + 30, place[1] + 20))
    return image


def telling(kind: str, orientation: int = 1) -> bytes:
    """A picture that tells much of its maker: camera, place, comments, and its colour profile."""
    exif = Image.Exif()
    exif[0x0112] = orientation
    exif[0x010F] = "Secret camera"
    exif.get_ifd(0x8825)[1] = "N"
    exif.get_ifd(0x8825)[2] = (51.0, 30.0, 26.0)
    exif.get_ifd(0x8825)[29] = "Secret day"
    options: dict[str, Any] = {
        "exif": exif,
        "icc_profile": ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes(),
    }
    if kind != "PNG":
        options["xmp"] = b"<x:xmpmeta xmlns:x='adobe:ns:meta/'>Secret</x:xmpmeta>"
    if kind == "JPEG":
        options |= {"comment": SECRET, "quality": 90, "subsampling": 0}
    if kind == "PNG":
        from PIL.PngImagePlugin import PngInfo

        options["pnginfo"] = PngInfo()
        options["pnginfo"].add_text("Comment", "Secret")
        options["pnginfo"].add_itxt("XML:com.adobe.xmp", "Secret")
    return image_bytes(quarters(), kind, **options)


def moving(kind: str, **options: object) -> bytes:
    """Three frames, of 100, 200 and 300 ms, played twice."""
    frames = [Image.new("RGB", (30, 20), color) for color in ("red", "lime", "blue")]
    times = {"duration": [100, 200, 300], "loop": 2, **options}
    return image_bytes(frames[0], kind, save_all=True, append_images=frames[1:], **times)


def near(one: object, other: tuple[int, int, int]) -> bool:
    assert isinstance(one, tuple)
    return all(abs(a - b) < 24 for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("kind", STILL)
def test_metadata_are_gone(kind: str) -> None:
    """Camera, place, comments and XMP are gone; the colour profile stays, as it is part of the picture."""
    data = telling(kind)
    assert SECRET in data
    written = normalized(data, "x")
    assert SECRET not in written
    with Image.open(io.BytesIO(written)) as image:
        assert (image.format, image.size) == (kind, (60, 40))
        assert dict(image.getexif()) == {}
        assert not image.info.keys() & {"exif", "xmp", "comment", "Comment", "XML:com.adobe.xmp"}
        with Image.open(io.BytesIO(data)) as before:
            assert image.info["icc_profile"] == before.info["icc_profile"]


@pytest.mark.parametrize(
    ("kind", "orientation"),
    [
        pytest.param(kind, orientation, marks=() if kind == "JPEG" or orientation == 6 else pytest.mark.slow)
        for kind in STILL
        for orientation in range(1, 9)
    ],
)
def test_pictures_are_turned_upright(kind: str, orientation: int) -> None:
    """The pixels stand as the EXIF orientation said that they be shown, and nothing says so any more."""
    corners = ((5, 5), (-6, 5), (5, -6), (-6, -6))
    colors = {1: "RGBW", 2: "GRWB", 3: "WBGR", 4: "BWRG", 5: "RBGW", 6: "BRWG", 7: "WGBR", 8: "GWRB"}[orientation]
    paint = {"R": (255, 0, 0), "G": (0, 128, 0), "B": (0, 0, 255), "W": (255, 255, 255)}
    with Image.open(io.BytesIO(normalized(telling(kind, orientation), "x"))) as image:
        assert image.size == ((60, 40) if orientation < 5 else (40, 60))
        assert image.getexif().get(0x0112) is None
        shown = image.convert("RGB")
        for (x, y), color in zip(corners, colors, strict=True):
            assert near(shown.getpixel((x % image.width, y % image.height)), paint[color])


@pytest.mark.parametrize("kind", MOVING)
def test_animations_stay_animated(kind: str) -> None:
    """Frames, their times and the number of rounds are kept, comments are not."""
    data = moving(kind, **({"comment": SECRET} if kind == "GIF" else {})) + SECRET
    written = normalized(data, "x")
    assert SECRET not in written
    with Image.open(io.BytesIO(written)) as image:
        frames = []
        for frame in ImageSequence.Iterator(image):
            frame.load()
            frames.append((frame.convert("RGB").getpixel((9, 9)), frame.info["duration"]))
        assert image.info.get("loop", 2) == 2
    assert [times for _, times in frames] == [100, 200, 300]
    assert all(
        near(color, paint) for (color, _), paint in zip(frames, ((255, 0, 0), (0, 255, 0), (0, 0, 255)), strict=True)
    )


def test_pictures_lose_little_quality() -> None:
    """PNG and lossless WebP keep every pixel; a JPEG keeps its tables, and is the same after a second time."""
    noise = Image.effect_noise((64, 48), 80).convert("RGB")
    for written in (image_bytes(noise, "PNG"), image_bytes(noise, "WEBP", lossless=True)):
        with Image.open(io.BytesIO(normalized(written, "x"))) as image:
            assert image.convert("RGB").tobytes() == noise.tobytes()
    buffer = io.BytesIO()
    noise.save(buffer, "JPEG", quality=60, subsampling=2, progressive=True)
    with Image.open(buffer) as before, Image.open(io.BytesIO(normalized(buffer.getvalue(), "x"))) as after:
        assert getattr(after, "quantization") == getattr(before, "quantization")  # noqa: B009
        assert after.info.get("progressive") == 1


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "I;16", "RGBA", "CMYK"])
def test_unusual_pictures_are_kept(mode: str) -> None:
    """Palettes, transparency, sixteen bits and printer's colours survive."""
    image = Image.new("RGBA", (30, 20), (200, 40, 40, 90))
    kind = "JPEG" if mode == "CMYK" else "PNG"
    image = Image.new("I;16", (30, 20), 40_000) if mode == "I;16" else image.convert("RGB").convert(mode)
    with Image.open(io.BytesIO(normalized(image_bytes(image, kind), "x"))) as written:
        assert (written.mode, written.size) == (mode, (30, 20))


def test_a_polyglot_loses_its_other_half() -> None:
    """What stands behind an image, within its comments or beside its pixels is not stored."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("Secret.html", "<script>Secret()</script>")
    for kind in (*STILL, "GIF"):
        whole = (telling(kind) if kind != "GIF" else moving(kind)) + archive.getvalue() + b"<script>Secret()</script>"
        written = normalized(whole, "x.html")
        assert SECRET not in written
        assert not zipfile.is_zipfile(io.BytesIO(written))


@pytest.mark.parametrize(
    "data",
    [
        b"GIF89a=1;/*<script>alert(1)</script>*/",
        b"<html><script>alert(1)</script></html>",
        b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>",
        b"<svg xmlns='http://www.w3.org/2000/svg'><image href='http://127.0.0.1/'/></svg>",
        b"<!DOCTYPE svg [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><svg xmlns='http://www.w3.org/2000/svg'>&x;</svg>",
        b"%!PS-Adobe-3.0\n",
        b"\x7fELF" + b"\0" * 64,
        b"PK\x03\x04" + b"\0" * 64,
        b"BM" + b"\0" * 64,
        b"\0" * 1000,
        b"x",
    ],
)
def test_other_files_are_refused(data: bytes) -> None:
    """Active drawings, other formats and text are refused, with the name in the message."""
    with pytest.raises(InvalidMedia, match=r"^evil\.png: "):
        normalized(data, "evil.png")


def test_a_still_drawing_is_kept() -> None:
    """An SVG that can do nothing stays as it is."""
    data = b"<svg xmlns='http://www.w3.org/2000/svg' width='3' height='2'><path d='M0 0h3'/></svg>"
    assert normalized(data, "x.svg") == data


@pytest.mark.parametrize(
    "data", [b"%PDF-1.7\n<<Secret>>", b"ID3\4\0\0", b"\0\0\0\x20ftypisom", b"OggS" + b"\0" * 24 + b"OpusHead"]
)
def test_attachments_stay_as_they_are(data: bytes) -> None:
    """PDF, sound and video are known by how they begin, and no process is started for them."""
    assert normalized(data, "x", SandboxLimits(memory_bytes=0, cpu_seconds=0, seconds=0)) == data


def png(width: int, height: int, rows: bytes | None = None) -> bytes:
    """A grey PNG of any size that costs a few KB at most: all rows are one compressed zero."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    pixels = zlib.compress(b"\0" * ((width + 1) * height) if rows is None else rows, 9)
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


@pytest.mark.parametrize(("width", "height"), [(50_001, 1_000), (2**31 - 1, 1), (65_000, 65_000)])
def test_pixel_bombs_are_refused(width: int, height: int) -> None:
    """More than 50 megapixels are refused by the header, before anything is decoded."""
    begun = time.monotonic()
    with pytest.raises(InvalidMedia, match="50 megapixels"):
        normalized(png(width, height, b""), "bomb.png")
    assert time.monotonic() - begun < 30


def test_fifty_megapixels_are_decoded() -> None:
    """The largest image that is allowed fits the limits."""
    with Image.open(io.BytesIO(normalized(png(10_000, 5_000), "x.png"))) as image:
        assert image.size == (10_000, 5_000)


def test_an_animation_bomb_is_refused() -> None:
    """A few hundred bytes of animation are not let grow to gigapixels."""
    still = image_bytes(Image.new("L", (6_000, 6_000)), "GIF")
    begin = still.index(b"\x2c\0\0\0\0")  # the descriptor of its only frame
    bomb = still[:begin] + 6 * still[begin:-1] + still[-1:]
    with pytest.raises(InvalidMedia, match="200 megapixels in all its frames"):
        normalized(bomb, "bomb.gif")


@pytest.mark.parametrize("kind", [*STILL, "GIF"])
def test_broken_images_are_refused(kind: str) -> None:
    """An image cut in the middle is refused, as the header alone would not tell."""
    whole = telling(kind) if kind != "GIF" else moving(kind)
    with pytest.raises(InvalidMedia, match=r"^x\.img: "):
        normalized(whole[: len(whole) * 2 // 3], "x.img")


@pytest.mark.slow
def test_damaged_images_are_contained() -> None:
    """Whatever bytes are changed, the outcome is an image written anew or InvalidMedia."""
    choice = random.Random(4)
    for kind in (*STILL, "GIF"):
        whole = telling(kind) if kind != "GIF" else moving(kind)
        for _ in range(4):
            damaged = bytearray(whole)
            for _ in range(8):
                damaged[choice.randrange(12, len(whole))] = choice.randrange(256)
            try:
                written = normalized(bytes(damaged), "x")
            except InvalidMedia:
                continue
            with Image.open(io.BytesIO(written)) as image:
                image.load()


def test_memory_is_limited() -> None:
    """A decoder that wants more memory than allowed fails alone."""
    with pytest.raises(InvalidMedia, match="too much time or memory"):
        normalized(png(10_000, 5_000), "x.png", SandboxLimits(memory_bytes=120 * 1024 * 1024))


def test_output_is_limited() -> None:
    """An image that would be written larger than allowed is refused."""
    noise = io.BytesIO()
    Image.frombytes("RGB", (400, 300), os.urandom(360_000)).save(noise, "PNG")
    with pytest.raises(InvalidMedia, match="broken, or takes too much"):
        normalized(noise.getvalue(), "x.png", SandboxLimits(output_bytes=100_000))


@pytest.fixture(scope="module")
def heavy() -> bytes:
    """A picture that takes seconds of processor time to be written anew."""
    noise = io.BytesIO()
    Image.effect_noise((4_000, 3_000), 90).save(noise, "WEBP", method=0)
    return noise.getvalue()


def test_processor_time_is_limited(heavy: bytes) -> None:
    """A decoder that computes for too long is ended by the kernel."""
    begun = time.monotonic()
    with pytest.raises(InvalidMedia, match="too much time"):
        normalized(heavy, "x.webp", SandboxLimits(cpu_seconds=1))
    assert time.monotonic() - begun < 60


def processor_seconds(pid: int) -> float | None:
    """What a process has computed so far; None if it has ended."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if status[0] == "Z" else (int(status[11]) + int(status[12])) / os.sysconf("SC_CLK_TCK")


def only_child(pid: int) -> int:
    """The child of a process; 0 if there is none."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return 0
    return int(children[0]) if children else 0


@pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="needs /proc to look at processes (Linux)")
def test_the_child_ends_with_its_worker(heavy: bytes, tmp_path: Path) -> None:
    """A worker is killed with -9 while its child decodes: the child computes no more than it was about to."""
    (tmp_path / "heavy.webp").write_bytes(heavy)
    program = "import sys; from pathlib import Path; from sitecms.media.decoding.sandbox import normalized; "
    program += "normalized(Path(sys.argv[1]).read_bytes(), 'x.webp')"
    worker = subprocess.Popen([sys.executable, "-c", program, str(tmp_path / "heavy.webp")])
    try:
        child, end, computed = 0, time.monotonic() + 60, 0.0
        while computed < 0.3:
            assert time.monotonic() < end
            child = only_child(only_child(worker.pid))  # between them stands the guard
            computed = (child and processor_seconds(child)) or 0.0
            time.sleep(0.01)
    finally:
        worker.kill()
        worker.wait()
    while (seconds := processor_seconds(child)) is not None:
        assert seconds < computed + 1  # it would need several
        time.sleep(0.005)


def is_our_child(entry: Path) -> bool:
    """Whether an entry of /proc is a decoding process that this one started, alive or not yet waited for."""
    try:
        command, status = (entry / "cmdline").read_bytes(), (entry / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return False
    return status[1] == str(os.getpid()) and (b"sitecms.media.decoding.normalize" in command or status[0] == "Z")


def test_time_is_limited_and_the_child_is_gone() -> None:
    """A child that is not done in time is killed and leaves no process behind."""
    begun = time.monotonic()
    with pytest.raises(InvalidMedia, match="too much time"):
        normalized(png(10_000, 5_000), "x.png", SandboxLimits(seconds=0.05))
    assert time.monotonic() - begun < 30
    assert not any(is_our_child(entry) for entry in Path("/proc").glob("[0-9]*"))


def test_child_process_inherits_no_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A module of the current folder or an environment variable of the worker does not reach the child."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "PIL").mkdir()
    (tmp_path / "PIL" / "__init__.py").write_text("raise SystemExit(0)")
    monkeypatch.setenv("PYTHONSTARTUP", str(tmp_path / "x.py"))
    monkeypatch.setenv("LD_PRELOAD", "/nonexistent.so")
    assert normalized(telling("PNG"), "x.png").startswith(b"\x89PNG")


def test_exit_codes_of_sandbox_and_child_are_equal() -> None:
    """Parent and child mean the same by the code for a refusal."""
    assert sandbox.REFUSED == normalize.REFUSED


def test_a_remote_picture_becomes_a_file(remote: Callable[..., Remote], tmp_path: Path) -> None:
    """A fetched picture is kept under the digest of what was written anew; with other metadata it is one file still."""
    plain, turned = io.BytesIO(), telling("PNG")
    quarters().save(plain, "PNG", icc_profile=Image.open(io.BytesIO(turned)).info["icc_profile"])
    bodies = {"/a.png": plain.getvalue(), "/b.jpg": turned, "/text.png": b"no picture"}
    server = remote({path: b"HTTP/1.1 200 OK\r\n\r\n" + body for path, body in bodies.items()})
    library = MediaLibrary(LocalStorage(tmp_path / "media"))
    rules, budget = FetchRules(allow_hosts=("127.0.0.1",)), Budget(seconds=60, max_bytes=1_000_000)
    first, second = (
        import_remote(f"http://127.0.0.1:{server.port}{path}", library, rules, NOON, budget)
        for path in ("/a.png", "/b.jpg")
    )
    assert (first.name, first.content_type, first.width, first.height) == (second.name, "image/png", 60, 40)
    assert (first.original_name, second.original_name) == ("a.png", "b.jpg")
    assert SECRET not in library.path(first.name).read_bytes()
    with pytest.raises(InvalidMedia):
        import_remote(f"http://127.0.0.1:{server.port}/text.png", library, rules, NOON, budget)
    with pytest.raises(RemoteMissing):
        import_remote(f"http://127.0.0.1:{server.port}/none.png", library, rules, NOON, budget)
    assert [path.name for path in library.folder.iterdir()] == [first.name]
