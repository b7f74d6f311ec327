"""Draws the raster pictures of the sample site, each from a seed, so that every run gives the same files.

Coordinates are those of the finished picture; everything is drawn at twice the size and scaled down at the end.
"""

from __future__ import annotations

import argparse
import io
import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from random import Random

from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageOps

Color = tuple[int, int, int]
Ink = int | tuple[int, ...]
Point = tuple[float, float]
Stops = Sequence[tuple[float, str]]

SCALE = 2
MAX_BYTES = 160_000
WHITE = "#ffffff"


# ---------------------------------------------------------------------------------------------------- colour and shape


def rgb(code: str) -> Color:
    return int(code[1:3], 16), int(code[3:5], 16), int(code[5:7], 16)


def mix(a: str, b: str, t: float) -> str:
    parts = (round(x + (y - x) * t) for x, y in zip(rgb(a), rgb(b), strict=True))
    return "#" + "".join(f"{min(255, max(0, part)):02x}" for part in parts)


def ink(code: str, alpha: float = 1.0) -> tuple[int, int, int, int]:
    red, green, blue = rgb(code)
    return red, green, blue, round(255 * alpha)


def spline(points: Sequence[Point], closed: bool = True, steps: int = 12) -> list[Point]:
    """A Catmull-Rom curve through the points."""
    count = len(points)
    result: list[Point] = []
    for i in range(count if closed else count - 1):
        a, b, c, d = (points[k % count if closed else min(max(k, 0), count - 1)] for k in range(i - 1, i + 3))
        result += [_between(a, b, c, d, step / steps) for step in range(steps)]
    return result if closed else [*result, points[-1]]


def _between(a: Point, b: Point, c: Point, d: Point, t: float) -> Point:
    def axis(p: float, q: float, r: float, s: float) -> float:
        return 0.5 * (2 * q + (r - p) * t + (2 * p - 5 * q + 4 * r - s) * t**2 + (3 * q - p - 3 * r + s) * t**3)

    return axis(a[0], b[0], c[0], d[0]), axis(a[1], b[1], c[1], d[1])


def place(points: Iterable[Point], x: float, y: float, size: float, angle: float = 0.0) -> list[Point]:
    """Points of a unit drawing, scaled, turned by degrees and moved."""
    cos, sin = math.cos(math.radians(angle)) * size, math.sin(math.radians(angle)) * size
    return [(x + px * cos - py * sin, y + px * sin + py * cos) for px, py in points]


def wander(rng: Random, count: int, cells: int, octaves: int = 5, gain: float = 0.5) -> list[float]:
    """One-dimensional fractal noise, roughly from -1 to 1."""
    values = [0.0] * count
    for octave in range(octaves):
        knots = [rng.uniform(-1, 1) for _ in range(cells * 2**octave + 2)]
        for i in range(count):
            place_, t = divmod(i / count * cells * 2**octave, 1)
            k, t = int(place_), t * t * (3 - 2 * t)
            values[i] += gain**octave * (knots[k] * (1 - t) + knots[k + 1] * t)
    return values


def curve_of(values: Callable[[int], int]) -> list[int]:
    """A look-up table for `Image.point`."""
    return [min(255, max(0, values(v))) for v in range(256)]


def scaled(mask: Image.Image, factor: float) -> Image.Image:
    return mask.point(curve_of(lambda v: round(v * factor)))


class Pen:
    """ImageDraw in the coordinates of the finished picture."""

    def __init__(self, image: Image.Image) -> None:
        self._draw = ImageDraw.Draw(image, "RGBA" if image.mode == "RGB" else None)

    def poly(self, points: Sequence[Point], fill: Ink) -> None:
        self._draw.polygon([(x * SCALE, y * SCALE) for x, y in points], fill=fill)

    def line(self, points: Sequence[Point], width: float, fill: Ink) -> None:
        scaled_points = [(x * SCALE, y * SCALE) for x, y in points]
        self._draw.line(scaled_points, fill=fill, width=max(1, round(width * SCALE)), joint="curve")

    def disc(self, x: float, y: float, rx: float, fill: Ink, ry: float | None = None) -> None:
        ry = rx if ry is None else ry
        box = ((x - rx) * SCALE, (y - ry) * SCALE, (x + rx) * SCALE, (y + ry) * SCALE)
        self._draw.ellipse(box, fill=fill)

    def rect(self, x0: float, y0: float, x1: float, y1: float, fill: Ink) -> None:
        self._draw.rectangle((x0 * SCALE, y0 * SCALE, x1 * SCALE, y1 * SCALE), fill=fill)


# --------------------------------------------------------------------------------------------------------------- scene


class Scene:
    """A picture in the making: a canvas, a source of chance, and the ways to lay colour on it."""

    def __init__(self, name: str, width: int = 1600, height: int = 900) -> None:
        self.rng = Random(name)
        self.width, self.height = width, height
        self.size = (width * SCALE, height * SCALE)
        self.image = Image.new("RGB", self.size)

    def pen(self) -> Pen:
        return Pen(self.image)

    def mask(self) -> Image.Image:
        return Image.new("L", self.size)

    def shape(self, *outlines: Sequence[Point], blur: float = 0) -> Image.Image:
        mask = self.mask()
        for outline in outlines:
            Pen(mask).poly(outline, 255)
        return mask.filter(ImageFilter.GaussianBlur(blur * SCALE)) if blur else mask

    def noise(self, across: int, down: int, octaves: int = 4, size: tuple[int, int] | None = None) -> Image.Image:
        """Smooth fractal noise with full contrast; `across` and `down` count its coarsest cells."""
        target = size or (self.width, self.height)
        result = Image.new("L", target, 128)
        weight = 0.0
        for octave in range(octaves):
            cells = (across * 2**octave, down * 2**octave)
            layer = Image.frombytes("L", cells, self.rng.randbytes(cells[0] * cells[1]))
            weight += 0.5**octave
            result = Image.blend(result, layer.resize(target, Image.Resampling.BICUBIC), 0.5**octave / weight)
        return ImageOps.autocontrast(result, cutoff=1).resize(size or self.size, Image.Resampling.BILINEAR)

    def gradient(self, stops: Stops, size: tuple[int, int]) -> Image.Image:
        """A vertical gradient, dithered so that it shows no bands."""
        dither = Image.frombytes("L", size, self.rng.randbytes(size[0] * size[1]))
        bands = [self._channel(stops, size, channel, dither) for channel in range(3)]
        return Image.merge("RGB", bands)

    def _channel(self, stops: Stops, size: tuple[int, int], channel: int, dither: Image.Image) -> Image.Image:
        values = [_at(stops, y / max(1, size[1] - 1), channel) for y in range(size[1])]
        whole = Image.frombytes("L", (1, size[1]), bytes(int(v) for v in values)).resize(size)
        rest = Image.frombytes("L", (1, size[1]), bytes(int(v % 1 * 255) for v in values)).resize(size)
        carry = ImageChops.subtract(rest, dither).point(curve_of(lambda v: 1 if v else 0))
        return ImageChops.add(whole, carry)

    def sky(self, *stops: tuple[float, str]) -> None:
        self.image = self.gradient(stops, self.size)

    def paint(self, mask: Image.Image, *colors: str, grain: float = 0.0, cells: tuple[int, int] = (40, 24)) -> None:
        """Fill a mask with a gradient from its top to its bottom, broken by a texture."""
        box = mask.getbbox()
        if box is None:
            return
        steps = max(1, len(colors) - 1)
        size = (box[2] - box[0], box[3] - box[1])
        layer = self.gradient([(i / steps, color) for i, color in enumerate(colors)] * (2 if steps == 0 else 1), size)
        if grain:
            layer = Image.blend(layer, self._textured(layer, cells), grain)
        self.image.paste(layer, box[:2], mask.crop(box))

    def _textured(self, layer: Image.Image, cells: tuple[int, int]) -> Image.Image:
        across = max(1, round(cells[0] * layer.width / self.size[0]))
        down = max(1, round(cells[1] * layer.height / self.size[1]))
        noise = self.noise(across, down, 5, layer.size)
        return ImageChops.hard_light(layer, Image.merge("RGB", [noise] * 3))

    def tint(self, mask: Image.Image, color: str, strength: float = 1.0) -> None:
        self.image.paste(rgb(color), (0, 0, *self.size), scaled(mask, strength))

    def light(self, mask: Image.Image, color: str, strength: float = 1.0) -> None:
        """Add light of one colour through a mask."""
        bright = ImageChops.screen(self.image, Image.new("RGB", self.size, rgb(color)))
        self.image.paste(bright, (0, 0), scaled(mask, strength))

    def shade(self, mask: Image.Image, color: str, strength: float = 1.0) -> None:
        dark = ImageChops.multiply(self.image, Image.new("RGB", self.size, rgb(color)))
        self.image.paste(dark, (0, 0), scaled(mask, strength))

    def glow(self, x: float, y: float, radius: float, color: str, strength: float = 1.0, flat: float = 1.0) -> None:
        self.light(self.halo(x, y, radius, flat), color, strength)

    def halo(self, x: float, y: float, radius: float, flat: float = 1.0, power: float = 2.0) -> Image.Image:
        """A round mask that fades towards its rim."""
        table = curve_of(lambda v: round(255 * (1 - v / 255) ** power))
        spot = Image.radial_gradient("L").point(table)
        size = (max(1, round(radius * 2 * SCALE)), max(1, round(radius * 2 * flat * SCALE)))
        mask = self.mask()
        corner = (round((x - radius) * SCALE), round((y - radius * flat) * SCALE))
        mask.paste(spot.resize(size, Image.Resampling.BICUBIC), corner)
        return mask

    def fog(self, y: float, depth: float, color: str, alpha: float, cells: int = 3) -> None:
        """A bank of fog that is thickest at y."""
        column = bytes(_bell(row / SCALE, y, depth) for row in range(self.size[1]))
        bank = Image.frombytes("L", (1, self.size[1]), column).resize(self.size)
        noise = self.noise(cells, cells * 4, 4).point(curve_of(lambda v: 90 + v * 2 // 3))
        self.tint(ImageChops.multiply(bank, noise), color, alpha)

    def relief(self, mask: Image.Image, height: Image.Image, lit: Point, strength: float, reach: int = 6) -> None:
        """Light a surface of the given heights from one side."""
        moved = ImageChops.offset(height, round(lit[0] * reach), round(lit[1] * reach))
        slope = ImageChops.subtract(height, moved, scale=1 / strength, offset=128)
        lit_image = ImageChops.hard_light(self.image, Image.merge("RGB", [slope] * 3))
        self.image.paste(lit_image, (0, 0), mask)

    def ridge(self, base: float, rise: float, cells: int, octaves: int = 6, gain: float = 0.48) -> list[Point]:
        """A skyline from the left edge to the right."""
        count = self.width // 2 + 1
        heights = wander(self.rng, count, cells, octaves, gain)
        return [(i * 2, base - rise * height) for i, height in enumerate(heights)]

    def land(self, line: Sequence[Point], *colors: str, grain: float = 0.25) -> Image.Image:
        mask = self.shape([*line, (self.width, self.height), (0, self.height)])
        self.paint(mask, *colors, grain=grain)
        return mask

    def finish(self, grain: float = 0.035, vignette: float = 0.35) -> Image.Image:
        """Darken the corners, scale down and add the grain."""
        if vignette:
            corners = Image.radial_gradient("L").point(curve_of(lambda v: max(0, v - 110))).resize(self.size)
            self.shade(corners, "#101820", vignette)
        image = self.image.resize((self.width, self.height), Image.Resampling.LANCZOS)
        if not grain:
            return image
        noise = Image.frombytes("L", image.size, self.rng.randbytes(image.width * image.height))
        noise = ImageOps.autocontrast(noise.filter(ImageFilter.GaussianBlur(0.6)))
        speckled = ImageChops.overlay(image, Image.merge("RGB", [noise] * 3))
        return Image.blend(image, speckled, grain * 4)


def _at(stops: Stops, t: float, channel: int) -> float:
    for (p, a), (q, b) in zip(stops, stops[1:], strict=False):
        if t <= q:
            share = 0.0 if q == p else max(0.0, (t - p) / (q - p))
            return rgb(a)[channel] + (rgb(b)[channel] - rgb(a)[channel]) * share
    return float(rgb(stops[-1][1])[channel])


def _bell(row: float, y: float, depth: float) -> int:
    return round(255 * math.exp(-(((row - y) / depth) ** 2)))


def height_at(line: Sequence[Point], x: float) -> float:
    return line[min(len(line) - 1, max(0, round(x / 2)))][1]


# -------------------------------------------------------------------------------------------------------- living things


def conifer(pen: Pen, rng: Random, x: float, y: float, height: float, fill: Ink) -> None:
    tiers = max(5, int(height / 7))
    left: list[Point] = []
    right: list[Point] = []
    for i in range(1, tiers + 1):
        level, reach = y - height + height * 0.93 * i / tiers, height * 0.2 * (i / tiers) ** 0.85
        for side, points in ((-1, left), (1, right)):
            points.append((x + side * reach * rng.uniform(0.75, 1.15), level + height * rng.uniform(0, 0.025)))
            points.append((x + side * reach * rng.uniform(0.4, 0.6), level - height * 0.012))
    pen.poly([(x, y - height), *right, (x, y), *reversed(left)], fill)
    pen.rect(x - height * 0.018, y - height * 0.1, x + height * 0.018, y + height * 0.05, fill)


def bare_tree(pen: Pen, rng: Random, at: Point, length: float, angle: float, width: float, fill: Ink) -> list[Point]:
    """A leafless tree, branch by branch; gives the ends of its twigs."""
    if width < 0.5 or length < 3:
        return [at]
    bend = rng.uniform(-9, 9)
    middle = step(at, angle, length * 0.5)
    end = step(middle, angle + bend, length * 0.5)
    pen.line([at, middle, end], width, fill)
    pen.disc(end[0], end[1], width / 2, fill)
    tips: list[Point] = []
    for turn in rng.sample([-34.0, -20.0, 16.0, 32.0, 4.0], k=3 if length > 14 else 2):
        shrink = rng.uniform(0.66, 0.84)
        tips += bare_tree(pen, rng, end, length * shrink, angle + bend + turn + rng.uniform(-9, 9), width * 0.66, fill)
    return tips


def step(at: Point, angle: float, length: float) -> Point:
    return at[0] + math.sin(math.radians(angle)) * length, at[1] - math.cos(math.radians(angle)) * length


def leaves(
    pen: Pen, rng: Random, at: Point, reach: Point, count: int, radius: float, colors: Sequence[str], alpha: float = 1.0
) -> None:
    """A crown or bush of many small leaves, the darker ones first and lower, the lighter ones last and higher."""
    for i in range(count):
        t = i / count
        turn, far = rng.uniform(0, math.tau), math.sqrt(rng.random())
        x = at[0] + math.cos(turn) * far * reach[0] * (1 - 0.12 * t)
        y = at[1] + math.sin(turn) * far * reach[1] * (1 - 0.12 * t) - reach[1] * 0.22 * t
        shade = colors[min(len(colors) - 1, int(t * len(colors) + rng.uniform(-0.3, 0.3)) % len(colors))]
        pen.disc(x, y, radius * rng.uniform(0.5, 1.2), ink(shade, alpha), radius * rng.uniform(0.4, 0.9))


def leafy_tree(pen: Pen, rng: Random, x: float, y: float, height: float, colors: Sequence[str]) -> None:
    pen.line([(x, y + 2), (x + rng.uniform(-2, 2), y - height * 0.6)], height * 0.05, ink(colors[0]))
    for _ in range(7):
        at = (x + rng.gauss(0, height * 0.17), y - height * rng.uniform(0.4, 0.8))
        leaves(pen, rng, at, (height * 0.24, height * 0.2), round(60 + height), max(1.5, height * 0.03), colors)


def grass(pen: Pen, rng: Random, line: Sequence[Point], count: int, height: float, colors: Sequence[str]) -> None:
    for _ in range(count):
        x, y = rng.choice(line)
        tall, lean = height * rng.uniform(0.3, 1), rng.gauss(0, height * 0.22)
        base = (x + rng.uniform(-2, 2), y + 3)
        blade = [base, (base[0] + lean * 0.4, y - tall * 0.6), (base[0] + lean, y - tall)]
        pen.line(blade, rng.uniform(0.6, 1.5), ink(rng.choice(colors)))


def stars(scene: Scene, count: int, floor: float, color: str = "#e8eeff") -> None:
    pen, rng = scene.pen(), scene.rng
    for _ in range(count):
        x, y = rng.uniform(0, scene.width), floor * rng.random() ** 1.1
        size = min(2.2, 0.35 + rng.expovariate(3.4))
        fade = 1 - 0.75 * (y / floor) ** 3
        pen.disc(x, y, size, ink(rng.choice([color, color, "#ffe9d0", "#cfdcff"]), fade * rng.uniform(0.45, 1)))


def star(scene: Scene, x: float, y: float, size: float, color: str) -> None:
    scene.glow(x, y, size * 9, color, 0.5)
    scene.glow(x, y, size * 3, color, 0.8)
    scene.pen().disc(x, y, size, ink(mix(color, WHITE, 0.7)))


# name: (x, y, rx, ry), seen from the northern hemisphere, the disc being one in radius
MARIA = [
    (-0.30, -0.50, 0.31, 0.29), (0.28, -0.44, 0.19, 0.17), (0.46, -0.14, 0.25, 0.19), (0.80, -0.29, 0.09, 0.12),
    (0.72, 0.09, 0.14, 0.19), (0.52, 0.27, 0.10, 0.10), (-0.66, -0.24, 0.28, 0.40), (-0.58, 0.40, 0.12, 0.11),
    (-0.24, 0.36, 0.22, 0.18), (-0.02, -0.82, 0.45, 0.05), (-0.42, 0.06, 0.30, 0.20), (0.08, -0.06, 0.13, 0.09),
]  # fmt: skip
TYCHO = (-0.14, 0.68)


def moon_disc(scene: Scene, radius: float, pale: str, dark: str) -> Image.Image:
    """The face of the full moon on a square of its own."""
    side = round(radius * 2 * SCALE)
    face = Image.new("L", (side, side), 235)
    draw = ImageDraw.Draw(face)
    for x, y, rx, ry in MARIA:
        centre = (side / 2 * (1 + x), side / 2 * (1 + y))
        draw.ellipse((centre[0] - rx * side / 2, centre[1] - ry * side / 2,
                      centre[0] + rx * side / 2, centre[1] + ry * side / 2), fill=120)  # fmt: skip
    face = face.filter(ImageFilter.GaussianBlur(side / 40))
    face = ImageChops.overlay(face, Image.blend(Image.new("L", face.size, 128), scene.noise(9, 9, 5, face.size), 0.5))
    rays(face, scene.rng)
    rim = Image.radial_gradient("L").resize(face.size).point(curve_of(lambda v: 255 - max(0, v - 90) // 2))
    return ImageOps.colorize(ImageChops.multiply(face, rim), rgb(dark), rgb(pale))


def rays(face: Image.Image, rng: Random) -> None:
    """Tycho and the bright streaks that run from it."""
    side, streaks = face.width, Image.new("L", face.size)
    draw = ImageDraw.Draw(streaks)
    centre = (side / 2 * (1 + TYCHO[0]), side / 2 * (1 + TYCHO[1]))
    for _ in range(11):
        end = step(centre, rng.uniform(0, 360), side * rng.uniform(0.15, 0.45))
        draw.line([centre, end], fill=70, width=max(1, side // 90))
    size = side * 0.03
    draw.ellipse((centre[0] - size, centre[1] - size, centre[0] + size, centre[1] + size), fill=160)
    streaks = streaks.filter(ImageFilter.GaussianBlur(side / 110))
    face.paste(ImageChops.add(face, streaks))


def put_disc(scene: Scene, face: Image.Image, x: float, y: float) -> None:
    rim = Image.new("L", face.size)
    ImageDraw.Draw(rim).ellipse((1, 1, face.width - 2, face.height - 2), fill=255)
    scene.image.paste(face, (round(x * SCALE - face.width / 2), round(y * SCALE - face.height / 2)), rim)
