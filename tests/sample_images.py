"""Draws the raster pictures of the sample site, each from a seed, so that every run gives the same files.

Coordinates are those of the finished picture; everything is drawn at twice the size and scaled down at the end.
"""

from __future__ import annotations

import argparse
import io
import itertools
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

    def paint(self, mask: Image.Image, *colors: str, grain: float = 0.0, cells: tuple[int, int] = (64, 72)) -> None:
        """Fill a mask with a gradient from its top to its bottom, broken by a texture."""
        box = mask.getbbox()
        if box is None:
            return
        steps = max(1, len(colors) - 1)
        size = (box[2] - box[0], box[3] - box[1])
        layer = self.gradient([(i / steps, color) for i, color in enumerate(colors)] * (2 if steps == 0 else 1), size)
        if grain:
            layer = Image.blend(layer, self._textured(layer, cells), grain * 0.75)
        self.image.paste(layer, box[:2], mask.crop(box))

    def _textured(self, layer: Image.Image, cells: tuple[int, int]) -> Image.Image:
        across = max(1, round(cells[0] * layer.width / self.size[0]))
        down = max(1, round(cells[1] * layer.height / self.size[1]))
        noise = self.noise(across, down, 5, layer.size)
        return ImageChops.overlay(layer, Image.merge("RGB", [noise] * 3))

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
        table = curve_of(lambda v: round(255 * max(0.0, 1 - v / 180) ** power))  # 180 is the middle of an edge
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
        moved = height.copy()
        moved.paste(height, (round(lit[0] * reach), round(lit[1] * reach)))
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

    def finish(self, grain: float = 0.022, vignette: float = 0.35) -> Image.Image:
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
    for (p, a), (q, b) in itertools.pairwise(stops):
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
    for turn in rng.sample([-34.0, -20.0, 16.0, 32.0, 4.0], k=3 if length > 26 else 2):
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
        leaves(pen, rng, at, (height * 0.24, height * 0.2), round(60 + height * 5), max(1.3, height * 0.014), colors)


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
    (-0.30, -0.50, 0.31, 0.29),
    (0.28, -0.44, 0.19, 0.17),
    (0.46, -0.14, 0.25, 0.19),
    (0.80, -0.29, 0.09, 0.12),
    (0.72, 0.09, 0.14, 0.19),
    (0.52, 0.27, 0.10, 0.10),
    (-0.66, -0.24, 0.28, 0.40),
    (-0.58, 0.40, 0.12, 0.11),
    (-0.24, 0.36, 0.22, 0.18),
    (-0.02, -0.82, 0.45, 0.05),
    (-0.42, 0.06, 0.30, 0.20),
    (0.08, -0.06, 0.13, 0.09),
]
TYCHO = (-0.14, 0.68)


def moon_disc(scene: Scene, radius: float, pale: str, dark: str) -> Image.Image:
    """The face of the full moon on a square of its own."""
    side = round(radius * 2 * SCALE)
    face = Image.new("L", (side, side), 235)
    draw = ImageDraw.Draw(face)
    for x, y, rx, ry in MARIA:
        centre = (side / 2 * (1 + x), side / 2 * (1 + y))
        draw.ellipse(
            (
                centre[0] - rx * side / 2,
                centre[1] - ry * side / 2,
                centre[0] + rx * side / 2,
                centre[1] + ry * side / 2,
            ),
            fill=120,
        )
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


# -------------------------------------------------------------------------------------------------- weather and the sky


def valley_fog() -> Image.Image:
    s = Scene("valley-fog 2")
    s.sky((0, "#4f6c84"), (0.22, "#94a9ae"), (0.4, "#f2cfa4"), (0.55, "#fbe6c4"), (1, "#e9d3b8"))
    s.glow(1090, 335, 620, "#ffd79a", 0.75, 0.7)
    s.glow(1090, 335, 190, "#fff0c9", 0.8)
    s.pen().disc(1090, 335, 30, ink("#fffbea"))
    hills = ["#b9a99a", "#9a9890", "#748584", "#506a70", "#334f57"]
    for i, color in enumerate(hills):
        line = s.ridge(395 + i * 78, 58 + i * 9, 3 + i % 2)
        mask = s.shape([*line, (1600, 900), (0, 900)])
        ridge_trees(s, mask, line, i)
        s.paint(mask, color, mix(color, "#f7dfc0", 0.55), mix(color, "#f7dfc0", 0.85), grain=0.16)
        s.fog(485 + i * 76, 42 + i * 4, "#fbe7cd", 0.95)
    spire(s, 520, 735, "#2c454d")
    s.fog(790, 52, "#f8e3c8", 1, 4)
    s.tint(s.shape([(0, 768), (1600, 768), (1600, 900), (0, 900)], blur=20), "#f1dfc5")
    front_hedge(s, "#16292f", "#0c181d")
    return s.finish()


def ridge_trees(s: Scene, mask: Image.Image, line: Sequence[Point], depth: int) -> None:
    """Trees that stand out of a ridge, in clumps, larger when nearer."""
    pen, size = Pen(mask), 7 + depth * 7
    for _ in range(3 + depth):
        middle = s.rng.uniform(0, 1600)
        for _ in range(s.rng.randint(4, 12)):
            x = middle + s.rng.gauss(0, 45 + depth * 10)
            y, tall = height_at(line, x), size * s.rng.uniform(0.7, 1.7)
            if s.rng.random() < 0.55:
                conifer(pen, s.rng, x, y + 3, tall * 1.3, 255)
            else:
                crown(pen, s.rng, x, y + 3, tall)


def crown(pen: Pen, rng: Random, x: float, y: float, tall: float) -> None:
    pen.rect(x - tall * 0.035, y - tall * 0.5, x + tall * 0.035, y, 255)
    for _ in range(10):
        pen.disc(x + rng.gauss(0, tall * 0.2), y - tall * rng.uniform(0.3, 0.85), tall * rng.uniform(0.1, 0.2), 255)
    for _ in range(40):
        turn, far = rng.uniform(0, math.tau), rng.uniform(0.2, 0.46) * tall
        pen.disc(
            x + math.cos(turn) * far, y - tall * 0.6 + math.sin(turn) * far * 0.85, tall * rng.uniform(0.02, 0.06), 255
        )


def spire(s: Scene, x: float, y: float, color: str) -> None:
    pen, fill = s.pen(), ink(color)
    pen.rect(x - 15, y - 92, x + 15, y + 140, fill)
    pen.poly([(x - 18, y - 90), (x, y - 182), (x + 18, y - 90)], fill)
    pen.line([(x, y - 182), (x, y - 200)], 2, fill)
    pen.line([(x - 6, y - 193), (x + 6, y - 193)], 2, fill)
    pen.poly(
        [
            (x + 15, y - 24),
            (x + 24, y - 54),
            (x + 92, y - 54),
            (x + 102, y - 24),
            (x + 102, y + 140),
            (x + 15, y + 140),
        ],
        fill,
    )
    for top in (y - 74, y - 30):
        pen.disc(x, top, 3.5, ink("#f3d9b4", 0.55), 8)


def front_hedge(s: Scene, light: str, dark: str) -> None:
    line = s.ridge(850, 30, 3, 4)
    mask = s.shape([*line, (1600, 900), (0, 900)])
    pen = Pen(mask)
    for x, y in line[::2]:
        for _ in range(5):
            up = s.rng.random() ** 2 * (30 + 16 * math.sin(x / 90))
            pen.disc(x + s.rng.gauss(0, 6), y + 6 - up, s.rng.uniform(1.5, 5) * (1.4 - up / 60), 255)
        if s.rng.random() < 0.5:
            bare_tree(pen, s.rng, (x, y), s.rng.uniform(9, 19), s.rng.gauss(0, 16), 1.6, 255)
    for x, tall in ((130, 175), (215, 115), (1465, 205), (1380, 120)):
        bare_tree(pen, s.rng, (x, height_at(line, x) + 8), tall * 0.27, s.rng.uniform(-5, 5), tall * 0.065, 255)
    s.paint(mask, light, dark, grain=0.2)


def cloud_base() -> Image.Image:
    s = Scene("cloud-base 4")
    s.sky((0, "#2f6f9a"), (0.35, "#6fa6bf"), (0.66, "#cfe0dc"), (0.75, "#efe7d2"), (1, "#efe7d2"))
    s.glow(150, 40, 800, "#fff2cf", 0.45)
    for k in range(46):
        near = (k / 45) ** 2.1
        x = (k * 0.618 % 1) * 1700 - 50
        cumulus(s, x, 590 - 395 * near, (34 + 430 * near) * s.rng.uniform(0.8, 1.1))
        if k in (14, 26):
            s.fog(585, 70, "#dfe6dd", 0.4)
    downs(s)
    return s.finish()


def cumulus(s: Scene, x: float, base: float, span: float) -> None:
    """A heap of lit balls that all end at one flat base."""
    outline, lit = s.mask(), s.mask()
    balls = sorted(cloud_balls(s.rng, x, base, span), key=lambda ball: ball[1] + ball[2])
    for bx, by, size in balls:
        side = max(2, round(size * 2 * SCALE))
        corner = (round((bx - size) * SCALE), round((by - size) * SCALE))
        ball, rim = lit_ball(side)
        lit.paste(ball, corner, rim)
        Pen(outline).disc(bx, by, size * 0.93, 255)
    ragged = s.noise(64, 36, 3).point(curve_of(lambda v: 175 + v * 5 // 8))
    edge = ImageChops.multiply(outline.filter(ImageFilter.GaussianBlur(2 + span / 45)), ragged)
    cut = edge.point(curve_of(lambda v: (v - 100) * 7))
    flat = s.shape([(0, 0), (1600, 0), (1600, base), (0, base)], blur=0.5 + span / 200)
    cut = ImageChops.multiply(cut, flat)
    color = ImageOps.colorize(
        lit.filter(ImageFilter.GaussianBlur(1 + span / 60)), rgb("#7f93a8"), rgb("#fffdf6"), rgb("#d9dfe2")
    )
    s.image.paste(color, (0, 0), cut)
    s.shade(
        ImageChops.multiply(
            cut, s.shape([(0, base - span * 0.1), (1600, base - span * 0.1), (1600, base), (0, base)], blur=span / 22)
        ),
        "#93a5b8",
        0.75,
    )


def cloud_balls(rng: Random, x: float, base: float, span: float) -> list[tuple[float, float, float]]:
    towers = [(rng.uniform(-0.6, 0.6), rng.uniform(0.5, 1)) for _ in range(3)]
    balls = []
    for _ in range(80):
        middle, tall = rng.choice(towers)
        off = max(-1.0, min(1.0, rng.gauss(middle, 0.2)))
        up = rng.random() ** 0.9 * tall * max(0.04, 1 - (off - middle) ** 2 * 5)
        size = span * rng.uniform(0.05, 0.13) * (1.15 - 0.6 * abs(off))
        balls.append((x + off * span * 0.5, base - span * 0.42 * up, size))
    return balls


def lit_ball(side: int) -> tuple[Image.Image, Image.Image]:
    """A ball lit from the upper left, and its soft outline."""
    big = Image.radial_gradient("L").crop((54, 66, 182, 194))
    ball = big.point(curve_of(lambda v: 255 - v * 5 // 4)).resize((side, side), Image.Resampling.BICUBIC)
    rim = Image.radial_gradient("L").point(curve_of(lambda v: (176 - v) * 5)).resize((side, side))
    return ball, rim


def downs(s: Scene) -> None:
    tones = ["#a9b59a", "#93a877", "#7d9a58", "#6a8a48"]
    for i, tone in enumerate(tones):
        line = s.ridge(610 + i * 62, 22 + i * 5, 3, 4, 0.4)
        mask = s.land(line, mix(tone, "#e8dfa8", 0.25), mix(tone, "#274028", 0.3), grain=0.25)
        shadow = s.noise(4, 14, 2).point(curve_of(lambda v: (v - 140) * 5)).filter(ImageFilter.GaussianBlur(14))
        s.shade(ImageChops.multiply(mask, shadow), "#5f7d78", 0.55)
        field_hedges(s, line, i)
    line = s.ridge(855, 16, 3, 3)
    s.land(line, "#45642f", "#2c4423", grain=0.4)
    grass(s.pen(), s.rng, line, 2600, 34, ["#5b7c3a", "#3a5729", "#89a04f", "#c4bd77"])


def field_hedges(s: Scene, line: Sequence[Point], depth: int) -> None:
    """Fields of different greens below a skyline, and the hedges between them."""
    pen, green, x = s.pen(), mix("#64805c", "#2c4723", depth / 3), -200.0
    tints = ["#f3e9a0", "#31572b", "#d9d78a", "#577f3a", "#8a9a4a"]
    while x < 1600:
        wide, lean, deep = s.rng.uniform(120, 330) * (0.7 + depth * 0.3), s.rng.uniform(-160, 160), 90 + depth * 22
        top = [(x + t * wide / 12, height_at(line, x + t * wide / 12) + 2) for t in range(13)]
        low = [(px + lean * 1.3, py + deep) for px, py in reversed(top)]
        pen.poly([*top, *low], ink(s.rng.choice(tints), s.rng.uniform(0.08, 0.3)))
        hedge_line(pen, s.rng, top[0], low[-1], 1.2 + depth * 0.9, green)
        hedge_line(pen, s.rng, low[0], low[-1], 1.4 + depth, green)
        x += wide
    for px, py in line:
        if math.sin(px / 97 + depth * 2) > -0.2:
            pen.disc(
                px + s.rng.uniform(-2, 2), py + s.rng.uniform(-1, 2), s.rng.uniform(0.8, 2 + depth * 1.2), ink(green)
            )


def hedge_line(pen: Pen, rng: Random, start: Point, end: Point, size: float, green: str) -> None:
    count = round(math.dist(start, end) / (size * 0.55))
    for k in range(count):
        t = k / max(1, count)
        x = start[0] + (end[0] - start[0]) * t + math.sin(t * 7 + start[0]) * 4
        y = start[1] + (end[1] - start[1]) * t
        tone = mix(green, rng.choice(["#1d331a", "#86985a"]), rng.uniform(0, 0.35))
        pen.disc(x, y + rng.uniform(-size, size) * 0.4, size * rng.uniform(0.5, 1.15), ink(tone))
        if rng.random() < 0.012:
            leaves(
                pen,
                rng,
                (x, y - size * 3.4),
                (size * 2.6, size * 2.8),
                90,
                size * 0.55,
                [mix(green, "#10240f", 0.4), green, mix(green, "#b3b56a", 0.4)],
            )


def rainbow_bow() -> Image.Image:
    s = Scene("rainbow 3")
    s.sky((0, "#3c4a5c"), (0.4, "#5b6a78"), (0.72, "#94a0a2"), (1, "#a8aea8"))
    clouds = s.noise(4, 9, 6).point(curve_of(lambda v: (v - 110) * 3))
    s.shade(clouds, "#66727f", 0.55)
    bows(s, 820, 880)
    lit_fields(s)
    curtain(s)
    return s.finish()


def bows(s: Scene, x: float, y: float) -> None:
    """Both bows at 15 pixels to the degree: red outside at 42 degrees, and red inside at 50.5."""
    s.light(s.shape(circle(x, y, 40.4 * 15), blur=14), "#dfe4e0", 0.20)
    band = ImageChops.subtract(s.shape(circle(x, y, 50.5 * 15), blur=10), s.shape(circle(x, y, 42.4 * 15), blur=10))
    s.shade(band, "#4f5b68", 0.28)
    bow(s, (x, y), 42.4 * 15, -2.2 * 15, 1.0)
    bow(s, (x, y), 50.3 * 15, 3.4 * 15, 0.38)


def circle(x: float, y: float, radius: float) -> list[Point]:
    return [(x + radius * math.cos(k * math.tau / 240), y + radius * math.sin(k * math.tau / 240)) for k in range(240)]


SPECTRUM = [
    (0, "#000000"),
    (0.1, "#b8202c"),
    (0.26, "#f0562a"),
    (0.42, "#f6c945"),
    (0.58, "#5fb65a"),
    (0.74, "#3f86c6"),
    (0.9, "#5a48a8"),
    (1, "#000000"),
]


def bow(s: Scene, centre: Point, red: float, width: float, strength: float) -> None:
    """One bow, coloured from its red edge over `width` (inwards if negative)."""
    layer, steps = Image.new("RGB", s.size), 48
    draw = ImageDraw.Draw(layer)
    for k in range(steps + 1):
        color = tuple(round(_at(SPECTRUM, k / steps, channel)) for channel in range(3))
        radius = (red + width * k / steps) * SCALE
        x, y = centre[0] * SCALE, centre[1] * SCALE
        draw.ellipse(
            (x - radius, y - radius, x + radius, y + radius), outline=color, width=round(abs(width) * SCALE / steps) + 4
        )
    layer = layer.filter(ImageFilter.GaussianBlur(5))
    fade = Image.blend(Image.new("L", s.size, 255), s.noise(3, 3, 3), 0.45)
    lit = ImageChops.screen(s.image, layer)
    s.image.paste(lit, (0, 0), scaled(fade, strength))


def lit_fields(s: Scene) -> None:
    far = s.ridge(640, 26, 3, 5)
    s.land(far, "#6d7f7c", "#7d8d72", grain=0.15)
    for i, (tone, low) in enumerate([("#a79d55", "#8a8a45"), ("#c9b45a", "#98923f"), ("#8f9440", "#5f6c2c")]):
        line = s.ridge(690 + i * 48, 14, 2, 4, 0.4)
        s.land(line, tone, low, grain=0.35)
        field_hedges(s, line, i)
    farm(s, 1130, 716)
    leafy_tree(s.pen(), s.rng, 388, 800, 190, ["#2f3d1d", "#4d5c26", "#7d8434", "#c2ac4a"])
    line = s.ridge(868, 14, 3, 3)
    s.land(line, "#7d7f38", "#3f4a22", grain=0.4)
    grass(s.pen(), s.rng, line, 2400, 30, ["#a69f48", "#5d6a2c", "#d8c46a", "#414d22"])


def farm(s: Scene, x: float, y: float) -> None:
    pen = s.pen()
    pen.rect(x, y - 26, x + 74, y, ink("#efe2c8"))
    pen.poly([(x - 5, y - 25), (x + 8, y - 50), (x + 66, y - 50), (x + 79, y - 25)], ink("#5d4a48"))
    pen.rect(x + 52, y - 60, x + 60, y - 44, ink("#7b5f57"))
    for left in (x + 10, x + 31, x + 54):
        pen.rect(left, y - 18, left + 8, y - 8, ink("#4a525c"))
    pen.rect(x - 52, y - 18, x, y, ink("#c9b698"))
    pen.poly([(x - 56, y - 17), (x - 48, y - 32), (x - 2, y - 32), (x, y - 17)], ink("#6e5a52"))
    leaves(pen, s.rng, (x + 104, y - 20), (24, 24), 200, 3.4, ["#394420", "#5a6429", "#8d8a3a"])


def curtain(s: Scene) -> None:
    pen = s.pen()
    for _ in range(420):
        x, y = s.rng.uniform(900, 1700), s.rng.uniform(-20, 600)
        pen.line([(x, y), (x - 9, y + s.rng.uniform(24, 60))], 0.6, ink("#dfe6ea", 0.16))


def frost() -> Image.Image:
    s = Scene("frost 2")
    s.sky((0, "#7795b5"), (0.25, "#b5bdcf"), (0.42, "#f0c9be"), (0.52, "#f9dfc6"), (1, "#dfe6ee"))
    s.glow(1280, 430, 520, "#ffdcae", 0.7, 0.6)
    for i, tone in enumerate(["#a9b0c6", "#8b9ab6", "#6d83a3"]):
        line = s.ridge(430 + i * 46, 40, 3 + i)
        mask = s.shape([*line, (1600, 900), (0, 900)])
        ridge_trees(s, mask, line, i + 1)
        s.paint(mask, tone, mix(tone, "#e9edf4", 0.7), grain=0.12)
    s.fog(590, 46, "#eef0f4", 0.95)
    hollow(s)
    return s.finish(vignette=0.25)


def hollow(s: Scene) -> None:
    """A bowl of white grass that holds a pool of fog, with green left on its rims."""
    bowl = [(x * 4.0, 585 + 120 * math.exp(-(((x * 4 - 820) / 420) ** 2)) - x / 14) for x in range(401)]
    mask = s.land(bowl, "#d3dde6", "#e8eef2", "#b9c8d6", grain=0.3)
    s.relief(mask, s.noise(26, 40, 4), (0.3, 1), 0.5)
    rims = ImageChops.lighter(s.halo(-40, 640, 520, 0.5), s.halo(1650, 600, 560, 0.5))
    s.shade(ImageChops.multiply(mask, rims), "#8f9f6a", 0.75)
    s.fog(722, 30, "#f6f4f4", 0.85, 5)
    fence(s)
    near = s.ridge(835, 18, 2, 4)
    s.land(near, "#aebccb", "#71849b", grain=0.45)
    grass(s.pen(), s.rng, near, 5200, 52, ["#f4f7fa", "#dfe7ef", "#b3c2d2", "#8fa3b8", "#fbeee2"])


def fence(s: Scene) -> None:
    pen = s.pen()
    tops: list[Point] = []
    for k in range(15):
        x = 60 + k * 108 + s.rng.uniform(-6, 6)
        ground = 775 + 36 * math.exp(-(((x - 820) / 420) ** 2))
        tops.append((x, ground - 70))
        pen.poly(
            [(x - 6, ground + 30), (x - 5, ground - 78), (x + 5, ground - 80), (x + 6, ground + 30)], ink("#4c5768")
        )
        pen.poly([(x - 6, ground - 78), (x, ground - 84), (x + 6, ground - 80), (x + 5, ground - 74)], ink("#f6f9fc"))
        pen.line([(x + 4, ground - 76), (x + 5, ground + 26)], 2, ink("#c9d4e0", 0.8))
    for drop in (0, 26, 52):
        wire = [(x, y + drop + 4) for x, y in tops]
        pen.line(wire, 1.6, ink("#647186"))
        pen.line([(x, y - 1.4) for x, y in wire], 1.2, ink("#f4f8fb"))


# --------------------------------------------------------------------------------------------------------------- night


def moon_phases() -> Image.Image:
    s = Scene("moon-phases", 1600, 500)
    s.sky((0, "#111b2e"), (1, "#111b2e"))
    face = moon_disc(s, 74, "#f4ecd6", "#8d8878")
    for k in range(8):
        x = 118 + k * 195
        put_disc(s, phase(face, k / 8), x, 250)
    s.pen().line([(60, 250 + 118), (1540, 250 + 118)], 1, ink("#58698c", 0.7))
    for k in range(8):
        s.pen().disc(118 + k * 195, 368, 4, ink("#d8b46a" if k % 2 == 0 else "#58698c"))
    return s.finish(0, 0)


def phase(face: Image.Image, age: float) -> Image.Image:
    """The face lit as at this share of the lunation, from new (0) by full (0.5); waxing is lit on the right."""
    side = face.width
    lit = Image.new("L", face.size)
    draw = ImageDraw.Draw(lit)
    squeeze = math.cos(age * math.tau)
    for row in range(side):
        half = math.sqrt(max(0.0, (side / 2) ** 2 - (row - side / 2) ** 2))
        inner = half * squeeze
        ends = (inner, half) if age <= 0.5 else (-half, -inner)
        if ends[1] > ends[0]:
            draw.line([(side / 2 + ends[0], row), (side / 2 + ends[1], row)], fill=255)
    lit = lit.filter(ImageFilter.GaussianBlur(2.5))
    night = ImageChops.multiply(face, Image.new("RGB", face.size, rgb("#26324a")))
    return Image.composite(face, night, lit)


def moonrise() -> Image.Image:
    s = Scene("moonrise 3")
    s.sky((0, "#1f2a4d"), (0.3, "#4a4a78"), (0.52, "#9a6f8a"), (0.68, "#e2a083"), (1, "#f0bf92"))
    stars(s, 130, 300)
    s.glow(930, 470, 560, "#ffb877", 0.55)
    s.glow(930, 470, 260, "#ffd9a0", 0.55)
    face = moon_disc(s, 150, "#ffe9bf", "#c98a55").rotate(38, Image.Resampling.BICUBIC, fillcolor=rgb("#e9c38e"))
    put_disc(s, face, 930, 470)
    streaks = s.noise(2, 34, 3).point(curve_of(lambda v: max(0, v - 150) * 3))
    band = s.shape([(0, 470), (1600, 440), (1600, 560), (0, 570)], blur=30)
    s.tint(ImageChops.multiply(streaks, band), "#a0687c", 0.7)
    moonrise_ridges(s)
    return s.finish()


def moonrise_ridges(s: Scene) -> None:
    for i, tone in enumerate(["#8a5f7a", "#5b4868", "#352f4d"]):
        line = s.ridge(585 + i * 70, 55, 3, 6)
        s.land(line, tone, mix(tone, "#e2a083", 0.35), grain=0.15)
        s.fog(690 + i * 70, 34, "#c98d8d", 0.35)
    line = s.ridge(760, 70, 2, 5)
    mask = s.shape([*line, (1600, 900), (0, 900)])
    pen = Pen(mask)
    for _ in range(60):
        x = s.rng.choice([s.rng.gauss(300, 160), s.rng.gauss(1330, 150), s.rng.uniform(0, 1600)])
        if abs(x - 930) > 130:
            sea_pine(pen, s.rng, x, height_at(line, x) + 6, s.rng.uniform(60, 175))
    s.paint(mask, "#191a30", "#0b0d1c", grain=0.15)


def sea_pine(pen: Pen, rng: Random, x: float, y: float, tall: float) -> None:
    """A maritime pine: a bare, leaning stem and flat plates of needles at the top."""
    lean = rng.uniform(-0.14, 0.14) * tall
    pen.line(spline([(x, y), (x + lean * 0.2, y - tall * 0.4), (x + lean, y - tall * 0.95)], False), tall * 0.035, 255)
    for level, reach in ((0.98, 0.16), (0.88, 0.26), (0.76, 0.24), (0.64, 0.14)):
        side = rng.uniform(-0.1, 0.1) * tall
        for _ in range(16):
            px = x + lean * level + side + rng.gauss(0, reach * tall * 0.5)
            py = y - tall * level + abs(px - x - lean - side) * 0.12 + rng.uniform(-2, 2)
            pen.disc(px, py, tall * rng.uniform(0.03, 0.075), 255, tall * rng.uniform(0.02, 0.04))


def comet() -> Image.Image:
    s = Scene("comet 1")
    s.sky((0, "#07122a"), (0.35, "#103055"), (0.6, "#2e5f80"), (0.74, "#8aa49a"), (0.82, "#f0b67a"), (1, "#f0a060"))
    stars(s, 520, 640)
    ion_tail(s, (560, 560), (965, -20))
    dust_tail(s, (560, 560))
    s.glow(560, 560, 120, "#d6f2e6", 0.75)
    s.glow(560, 560, 36, "#ffffff", 1)
    s.pen().disc(560, 560, 6, ink("#ffffff"))
    coast(s)
    lighthouse(s, 1225, 738)
    return s.finish()


def ion_tail(s: Scene, head: Point, end: Point) -> None:
    """Straight, narrow and blue, away from the sun."""
    mask = s.mask()
    pen = Pen(mask)
    for _ in range(70):
        spread, reach = s.rng.gauss(0, 1), s.rng.uniform(0.35, 1)
        tip = (
            head[0] + (end[0] - head[0]) * reach + spread * 20 * reach,
            head[1] + (end[1] - head[1]) * reach + spread * 14 * reach,
        )
        pen.line([(head[0] + spread * 3, head[1]), tip], 1.6, 110)
    soft = ImageChops.add(
        mask.filter(ImageFilter.GaussianBlur(5)), scaled(mask.filter(ImageFilter.GaussianBlur(26)), 0.9)
    )
    s.light(ImageChops.multiply(soft, s.halo(*head, 730, 1, 1.0)), "#7fc4ff", 1)


def dust_tail(s: Scene, head: Point) -> None:
    """Broad, pale and curved, lagging behind."""
    mask = s.mask()
    pen = Pen(mask)
    for k in range(260):
        lag, reach = k / 260, s.rng.uniform(0.35, 1.0)
        end = (head[0] + 215 - 420 * lag, head[1] - 600 + 170 * lag)
        knee = (head[0] + 120 - 60 * lag, head[1] - 300 + 20 * lag)
        points = [bezier(head, knee, end, t / 24 * reach) for t in range(25)]
        pen.line(points, 2.4, round(26 + 60 * math.sin(math.pi * lag) ** 1.5))
    soft = ImageChops.add(
        scaled(mask.filter(ImageFilter.GaussianBlur(20)), 0.9), scaled(mask.filter(ImageFilter.GaussianBlur(54)), 0.8)
    )
    s.light(ImageChops.multiply(soft, s.halo(*head, 640, 1, 1.1)), "#ffefcf", 0.95)


def bezier(a: Point, b: Point, c: Point, t: float) -> Point:
    u = 1 - t
    return u * u * a[0] + 2 * u * t * b[0] + t * t * c[0], u * u * a[1] + 2 * u * t * b[1] + t * t * c[1]


def coast(s: Scene) -> None:
    sea = s.shape([(0, 742), (1600, 742), (1600, 900), (0, 900)])
    s.paint(sea, "#d89c6a", "#56697a", "#182a3f")
    ripples = s.noise(6, 150, 3).point(curve_of(lambda v: max(0, v - 135) * 4))
    s.light(ImageChops.multiply(ImageChops.multiply(sea, ripples), s.halo(380, 742, 760, 0.4)), "#ffd2a0", 0.9)
    for start, drop, top, tone in ((610, 240, 716, "#4a5d6e"), (800, 330, 742, "#1d2f44"), (420, 760, 812, "#0a1524")):
        line = [(x, y + 130 * max(0.0, 1 - max(0.0, x - start) / drop) ** 1.6) for x, y in s.ridge(top, 26, 4, 7)]
        shore = [(x, y) for x, y in line if x >= start]
        mask = s.shape([(start - 30, 900), *shore, (1600, 900)])
        s.paint(ImageChops.multiply(mask, sea) if start == 610 else mask, tone, mix(tone, "#000810", 0.4), grain=0.3)


def lighthouse(s: Scene, x: float, y: float) -> None:
    pen = s.pen()
    pen.poly([(x - 13, y), (x - 8, y - 96), (x + 8, y - 96), (x + 13, y)], ink("#0a1524"))
    pen.rect(x - 11, y - 102, x + 11, y - 97, ink("#0a1524"))
    pen.rect(x - 6, y - 116, x + 6, y - 102, ink("#ffdf9c"))
    pen.poly([(x - 9, y - 116), (x, y - 128), (x + 9, y - 116)], ink("#0a1524"))
    beam = s.shape([(x, y - 112), (x - 620, y - 175), (x - 620, y - 95), (x, y - 106)], blur=7)
    s.light(ImageChops.multiply(beam, s.halo(x, y - 109, 620, 1, 1.2)), "#ffe2a6", 0.5)
    s.glow(x, y - 109, 90, "#ffd98c", 0.9)


# Right ascension in hours, declination in degrees, magnitude, colour.
ORION = [
    (5.919, 7.407, 0.5, "#ffb27a"),
    (5.242, -8.202, 0.1, "#bcd4ff"),
    (5.418, 6.350, 1.6, "#c4d8ff"),
    (5.533, -0.299, 2.2, "#cfe0ff"),
    (5.604, -1.202, 1.7, "#cfe0ff"),
    (5.679, -1.943, 1.8, "#cfe0ff"),
    (5.796, -9.670, 2.1, "#cfe0ff"),
    (5.585, 9.934, 3.4, "#cfe0ff"),
    (5.591, -5.910, 2.8, "#cfe0ff"),
    (5.646, -2.600, 3.8, "#cfe0ff"),
    (4.915, 10.151, 4.6, "#e6ecff"),
    (4.843, 8.900, 4.3, "#e6ecff"),
    (4.831, 6.961, 3.2, "#fff2e0"),
    (4.853, 5.605, 3.7, "#cfe0ff"),
    (4.904, 2.441, 3.7, "#cfe0ff"),
    (4.976, 1.714, 4.5, "#ffe0c0"),
    (6.040, 9.647, 4.1, "#e6ecff"),
    (6.199, 14.209, 4.4, "#cfe0ff"),
    (6.126, 14.768, 4.4, "#cfe0ff"),
    (5.906, 20.276, 4.4, "#fff2e0"),
    (6.065, 20.138, 4.6, "#cfe0ff"),
    (6.752, -16.716, -1.4, "#dce8ff"),
    (4.599, 16.509, 0.9, "#ffc490"),
    (6.378, -17.956, 2.0, "#cfe0ff"),
    (5.131, -5.086, 2.8, "#e6ecff"),
    (5.545, -17.822, 2.6, "#fff2e0"),
    (5.470, -20.759, 2.8, "#fff2e0"),
    (4.477, 15.871, 3.4, "#e6ecff"),
    (4.330, 15.628, 3.7, "#ffe0c0"),
    (4.382, 17.543, 3.8, "#ffe0c0"),
    (4.477, 19.180, 3.5, "#ffe0c0"),
    (6.629, 16.399, 1.9, "#e6ecff"),
    (6.383, 22.514, 2.9, "#ffd0a8"),
]
ORION_NEBULA = (5.588, -5.39)


def on_sky(hours: float, degrees: float) -> Point:
    """Gnomonic projection round Orion's belt, turned as the constellation stands in the south-west."""
    ra, dec = math.radians((hours - 5.58) * 15), math.radians(degrees)
    depth = math.cos(dec) * math.cos(ra)
    across, up = -math.cos(dec) * math.sin(ra) / depth, math.sin(dec) / depth
    turn = math.radians(-14)
    x, y = across * math.cos(turn) - up * math.sin(turn), across * math.sin(turn) + up * math.cos(turn)
    return 840 + x * 1180, 340 - y * 1180


def orion_winter() -> Image.Image:
    s = Scene("orion 2")
    s.sky((0, "#060d20"), (0.4, "#0f2242"), (0.65, "#254a70"), (0.8, "#5d86a0"), (1, "#7aa0b0"))
    milky = ImageChops.multiply(s.shape([(-60, -40), (250, -40), (520, 900), (60, 900)], blur=90), s.noise(7, 5, 5))
    s.light(milky, "#8fa8d8", 0.35)
    stars(s, 480, 700)
    x, y = on_sky(*ORION_NEBULA)
    s.glow(x, y, 26, "#e79ab4", 0.75)
    for hours, degrees, magnitude, color in ORION:
        star(s, *on_sky(hours, degrees), max(1.1, 5.4 - magnitude * 1.05), color)
    snow_ridges(s)
    return s.finish()


def snow_ridges(s: Scene) -> None:
    for i, (base, rise, lit, dark) in enumerate([(690, 42, "#7f9fb8", "#4f7390"), (742, 84, "#d4e4f0", "#5f82a2")]):
        line = s.ridge(base, rise, 4 + i, 8, 0.52)
        mask = s.land(line, lit, mix(lit, dark, 0.7), dark, grain=0.1)
        s.relief(mask, s.noise(9, 10, 6), (1, 0.5), 0.9 + i * 0.5, 9)
        s.fog(base + 84, 26, "#9fbccf", 0.45)
    near = s.ridge(845, 26, 3, 5)
    mask = s.shape([*near, (1600, 900), (0, 900)])
    s.paint(mask, "#c3d6e6", "#7c9ab6", grain=0.15)
    woods = s.mask()
    for _ in range(95):
        x = s.rng.choice([s.rng.gauss(140, 130), s.rng.gauss(1430, 140), s.rng.uniform(0, 1600)])
        conifer(Pen(woods), s.rng, x, height_at(near, x) + 14, s.rng.uniform(26, 118), 255)
    s.paint(woods, "#16304a", "#0a1a2c")
    snow = ImageChops.subtract(woods, ImageChops.offset(woods, 3, 6)).point(curve_of(lambda v: v // 2))
    s.tint(ImageChops.multiply(snow, s.noise(80, 50, 2)), "#d5e4f0", 0.9)
    hut(s, 1010, 858)


def hut(s: Scene, x: float, y: float) -> None:
    pen = s.pen()
    pen.rect(x, y - 24, x + 52, y + 6, ink("#1b2b3d"))
    pen.poly([(x - 7, y - 22), (x + 12, y - 46), (x + 42, y - 46), (x + 60, y - 22)], ink("#e6f0f7"))
    s.glow(x + 20, y - 8, 46, "#ffc66e", 0.7)
    pen.rect(x + 14, y - 16, x + 25, y - 4, ink("#ffdc92"))


def meteor_night() -> Image.Image:
    s = Scene("meteor 5")
    s.sky((0, "#080f22"), (0.45, "#15264a"), (0.75, "#3a4f76"), (0.88, "#7c7f92"), (1, "#a2938e"))
    galaxy(s)
    stars(s, 900, 760)
    for angle, near, length, bright in METEORS:
        meteor(s, (1080, 205), angle, near, length, bright)
    watcher(s)
    return s.finish()


METEORS = [
    (248, 190, 330, 1.0),
    (205, 120, 110, 0.7),
    (292, 330, 190, 0.8),
    (158, 200, 150, 0.75),
    (225, 470, 150, 0.6),
    (68, 150, 170, 0.85),
    (118, 230, 120, 0.6),
    (272, 640, 240, 0.7),
    (330, 70, 60, 0.6),
    (185, 320, 90, 0.5),
]


def galaxy(s: Scene) -> None:
    band = s.shape([(-80, 560), (620, -60), (900, -60), (240, 760), (-80, 860)], blur=80)
    s.light(ImageChops.multiply(band, s.noise(8, 6, 6)), "#a9b6e6", 0.6)
    core = s.shape([(-80, 690), (700, -60), (790, -60), (20, 760)], blur=40)
    s.light(ImageChops.multiply(core, s.noise(12, 8, 5)), "#e6cdd6", 0.4)
    dust = s.noise(14, 12, 5).point(curve_of(lambda v: max(0, v - 140) * 4))
    s.shade(ImageChops.multiply(core, dust), "#1c2744", 0.8)


def meteor(s: Scene, radiant: Point, angle: float, near: float, length: float, bright: float) -> None:
    """A streak that points away from the radiant, brightest shortly before its end."""
    start, peak, end = (step(radiant, angle, near + length * t) for t in (0, 0.8, 1))
    side = step((0, 0), angle + 90, 2.6 * bright)
    outline = [start, (peak[0] + side[0], peak[1] + side[1]), end, (peak[0] - side[0], peak[1] - side[1])]
    s.light(s.shape(outline, blur=9), "#8fd8c4", bright)
    s.light(s.shape(outline, blur=2.5), "#b9f0dc", bright)
    s.light(s.shape(outline), "#fdfff4", bright)


def watcher(s: Scene) -> None:
    far = s.ridge(760, 30, 4, 6)
    mask = s.shape([*far, (1600, 900), (0, 900)])
    ridge_trees(s, mask, far, 3)
    s.paint(mask, "#1f2c44", "#17223a", grain=0.15)
    near = s.ridge(838, 16, 2, 4)
    mask = s.shape([*near, (1600, 900), (0, 900)])
    deck_chair(Pen(mask), 470, height_at(near, 470) + 6)
    bare_tree(Pen(mask), s.rng, (1395, height_at(near, 1395) + 8), 74, 3, 17, 255)
    s.paint(mask, "#0a1120", "#05080f", grain=0.15)
    s.glow(516, height_at(near, 470) - 104, 60, "#ff5a4a", 0.7)
    s.pen().disc(512, height_at(near, 470) - 92, 2.4, ink("#ff9a84"))
    grass(s.pen(), s.rng, near, 1800, 26, ["#0a1120", "#0d1628", "#121e33"])


def deck_chair(pen: Pen, x: float, y: float) -> None:
    """Somebody lying back in a deck chair with a board on the knees."""
    pen.line([(x - 78, y - 96), (x + 62, y)], 5, 255)
    pen.line([(x - 46, y), (x + 70, y - 54)], 5, 255)
    pen.line(spline([(x - 78, y - 96), (x - 34, y - 44), (x + 22, y - 30), (x + 70, y - 54)], False), 5, 255)
    pen.line(spline([(x - 62, y - 86), (x - 30, y - 54), (x + 12, y - 42)], False), 25, 255)
    pen.disc(x - 79, y - 113, 15, 255)
    pen.poly([(x - 95, y - 112), (x - 88, y - 130), (x - 68, y - 131), (x - 60, y - 119)], 255)
    pen.line(spline([(x + 8, y - 46), (x + 66, y - 84), (x + 74, y - 78)], False), 15, 255)
    pen.line(spline([(x + 70, y - 82), (x + 96, y - 12), (x + 116, y - 10)], False), 11, 255)
    pen.line([(x + 32, y - 90), (x + 66, y - 108)], 4, 255)
    pen.line(spline([(x - 50, y - 78), (x + 4, y - 66), (x + 42, y - 92)], False), 8, 255)


# ----------------------------------------------------------------------------------------------------- walks and birds


SWIFT = [
    (0.52, 0),
    (0.44, 0.075),
    (0.28, 0.1),
    (0.34, 0.34),
    (0.24, 0.72),
    (-0.06, 1.12),
    (-0.5, 1.5),
    (-0.22, 1.05),
    (-0.06, 0.66),
    (-0.04, 0.34),
    (-0.12, 0.12),
    (-0.42, 0.075),
    (-0.86, 0.15),
    (-0.62, 0.0),
]


def swift(pen: Pen, at: Point, size: float, angle: float, wings: Point, fill: Ink) -> None:
    """A swift seen from below; `wings` says how far each is spread, which is how the bird banks."""
    upper = [(x - (1 - wings[0]) * y * 0.25, -y * wings[0]) for x, y in SWIFT]
    lower = [(x - (1 - wings[1]) * y * 0.25, y * wings[1]) for x, y in reversed(SWIFT[1:-1])]
    pen.poly(place(spline([*upper, *lower], steps=8), *at, size, angle), fill)


def swifts() -> Image.Image:
    s = Scene("swifts 3")
    s.sky((0, "#31617f"), (0.35, "#7aa3ab"), (0.62, "#e6d3ae"), (0.8, "#f5b98a"), (1, "#e89a74"))
    s.glow(380, 760, 620, "#ffdf9f", 0.7, 0.7)
    wisps = s.noise(3, 16, 5).point(curve_of(lambda v: max(0, v - 130) * 2))
    s.light(ImageChops.multiply(wisps, s.shape([(0, 60), (1600, 0), (1600, 560), (0, 620)], blur=60)), "#ffe9cf", 0.55)
    pen = s.pen()
    for k in range(34):
        turn = k * 2.4
        far = 60 + k * 16 + s.rng.uniform(-20, 20)
        at = (900 + math.cos(turn) * far * 1.15, 300 + math.sin(turn) * far * 0.46)
        size = s.rng.uniform(9, 20)
        heading = math.degrees(turn) + 90 + s.rng.uniform(-25, 25)
        swift(pen, at, size, heading, (s.rng.uniform(0.35, 1), s.rng.uniform(0.35, 1)), ink("#233240", 0.9))
    swift(pen, (430, 250), 92, -24, (0.95, 0.8), ink("#17222e"))
    swift(pen, (1130, 455), 62, 158, (0.6, 0.95), ink("#17222e"))
    swift(pen, (205, 505), 44, 14, (0.9, 0.45), ink("#1b2733"))
    roofs(s, 770, "#7d6a70", 0.62)
    roofs(s, 812, "#37353f", 1.0)
    return s.finish()


def roofs(s: Scene, base: float, tone: str, size: float) -> None:
    """A village street from behind: gables, chimneys and one square tower."""
    mask = s.mask()
    pen, x = Pen(mask), -40.0
    pen.rect(0, base + 30, 1600, 900, 255)
    while x < 1640:
        wide, tall = s.rng.uniform(90, 190) * size, s.rng.uniform(46, 96) * size
        wall = base - s.rng.uniform(0, 26)
        pen.rect(x, wall, x + wide, 900, 255)
        inset = wide * s.rng.choice([0.1, 0.5])
        pen.poly([(x - 7, wall), (x + inset, wall - tall), (x + wide - inset, wall - tall), (x + wide + 7, wall)], 255)
        stack = x + wide * s.rng.uniform(0.2, 0.7)
        pen.rect(stack, wall - tall - 22 * size, stack + 20 * size, wall, 255)
        for pot in (3, 12):
            pen.rect(stack + pot * size, wall - tall - 34 * size, stack + (pot + 5) * size, wall - tall, 255)
        x += wide * s.rng.uniform(0.85, 1.1)
    if size == 1:
        tower(pen, 1290, base)
    s.paint(mask, tone, mix(tone, "#100f18", 0.6), grain=0.3)
    if size == 1:
        windows(s, base)


def tower(pen: Pen, x: float, base: float) -> None:
    pen.rect(x, base - 300, x + 112, base, 255)
    pen.rect(x - 6, base - 304, x + 118, base - 292, 255)
    for k in range(5):
        pen.rect(x - 6 + k * 27, base - 322, x + 8 + k * 27, base - 300, 255)
    pen.rect(x - 14, base - 150, x, base, 255)
    pen.rect(x + 112, base - 150, x + 126, base, 255)
    pen.line([(x + 56, base - 320), (x + 56, base - 372)], 3, 255)
    pen.poly([(x + 58, base - 370), (x + 88, base - 362), (x + 58, base - 352)], 255)


def windows(s: Scene, base: float) -> None:
    pen = s.pen()
    for x in (1326, 1352):
        pen.poly(
            [(x, base - 215), (x, base - 248), (x + 8, base - 262), (x + 16, base - 248), (x + 16, base - 215)],
            ink("#8d6d62"),
        )
    for _ in range(9):
        left, y = s.rng.uniform(40, 1220), base + s.rng.uniform(22, 50)
        pen.rect(left, y, left + 15, y + 20, ink("#ffcf86", 0.9))
        pen.line([(left + 7.5, y), (left + 7.5, y + 20)], 1.5, ink("#4a3d3f"))
        s.glow(left + 7, y + 10, 40, "#ffb866", 0.35)


def footpath() -> Image.Image:
    s = Scene("footpath 4")
    s.sky((0, "#6f9cb0"), (0.28, "#b9cdbf"), (0.46, "#f6e1b0"), (0.56, "#fbd79a"), (1, "#e8c98a"))
    s.glow(860, 415, 540, "#fff0bd", 0.85, 0.8)
    for i, tone in enumerate(["#a9b39b", "#8fa37a", "#7f9660"]):
        line = s.ridge(446 + i * 26, 24, 3, 5)
        mask = s.shape([*line, (1600, 900), (0, 900)])
        ridge_trees(s, mask, line, i)
        s.paint(mask, mix(tone, "#f6e1b0", 0.35), tone, grain=0.2)
        field_hedges(s, line, 0)
    s.fog(500, 40, "#ffeebf", 0.6)
    lane(s)
    return s.finish()


def lane(s: Scene) -> None:
    """The path, then its hedges from the gate forwards."""
    end = (860.0, 540.0)
    ground = s.shape([(0, 620), (end[0] - 160, 536), (end[0] + 160, 536), (1600, 620), (1600, 900), (0, 900)])
    s.paint(ground, "#b3b260", "#7c8a3c", "#3f5424", grain=0.5, cells=(60, 60))
    track = s.shape(
        spline([(846, 538), (830, 600), (720, 720), (470, 900)], False)
        + spline([(1130, 900), (965, 720), (885, 600), (872, 538)], False),
        blur=3,
    )
    s.paint(track, "#f4dda3", "#dcbd86", "#a9875c", grain=0.35, cells=(120, 200))
    middle = s.shape(
        spline([(858, 545), (850, 620), (820, 740), (750, 900)], False)
        + spline([(850, 900), (872, 740), (868, 620), (861, 545)], False),
        blur=5,
    )
    s.tint(ImageChops.multiply(middle, s.noise(80, 60, 3)), "#7d8a3f", 0.8)
    gate(s, 860, 540)
    for k in range(76):
        near = (k / 75) ** 2.2
        for side in (-1, 1):
            hedge_clump(s, end, side, near)
    for side in (-1, 1):
        verge(s, side)
    fingerpost(s, 560, 745)


def gate(s: Scene, x: float, y: float) -> None:
    pen, wood = s.pen(), ink("#6b5a47")
    for level in (0, 9, 18, 28):
        pen.line([(x - 30, y - level), (x + 30, y - level)], 2.4, wood)
    pen.line([(x - 30, y), (x + 30, y - 28)], 2.4, wood)
    for post in (-33, 33):
        pen.rect(x + post - 3, y - 38, x + post + 3, y + 6, ink("#544636"))


def hedge_clump(s: Scene, end: Point, side: int, near: float) -> None:
    rng, size = s.rng, 20 + 400 * near
    x = end[0] + side * (56 + 860 * near) + rng.gauss(0, size * 0.08)
    y = end[1] + 12 + 235 * near
    dark = mix("#7f8a4e", "#2c4124", min(1.0, near * 1.5))
    sun = mix("#eedd92", "#c4b65a" if side < 0 else "#d9c468", near)
    colors = [
        mix(dark, "#16240f", 0.3),
        mix(dark, "#16240f", 0.1),
        dark,
        dark,
        mix(dark, sun, 0.25),
        mix(dark, sun, 0.5),
        mix(dark, sun, 0.8),
    ]
    leaves(
        s.pen(),
        rng,
        (x, y - size * 0.36),
        (size * 0.6, size * 0.66),
        round(160 + 2600 * near),
        1.2 + 3.2 * near,
        colors,
    )
    if near > 0.04 and rng.random() < 0.8:
        spot = (x - side * size * 0.1, y - size * rng.uniform(0.5, 0.9))
        leaves(s.pen(), rng, spot, (size * 0.12, size * 0.08), 26, 1 + 2.4 * near, ["#e9c9bd", "#fbe9df", "#fff8ee"])


def verge(s: Scene, side: int) -> None:
    """Long grass and cow parsley between hedge and path."""
    pen = s.pen()
    edge = [(860 + side * (40 + 640 * (k / 400) ** 1.7), 560 + 345 * (k / 400) ** 1.4) for k in range(401)]
    for x, y in edge:
        near = (y - 540) / 360
        grass(
            pen,
            s.rng,
            [(x + s.rng.gauss(0, 46) * near, y)],
            7,
            12 + 70 * near,
            ["#6d7d35", "#a5a248", "#dcc868", "#46592a"],
        )
    for x, y in edge[60::19]:
        cow_parsley(pen, s.rng, (x + side * s.rng.uniform(0, 70), y), 30 + 0.32 * (y - 540))


def cow_parsley(pen: Pen, rng: Random, at: Point, tall: float) -> None:
    top = (at[0] + rng.gauss(0, tall * 0.1), at[1] - tall)
    pen.line([at, top], max(0.8, tall / 60), ink("#6d7d45"))
    for k in range(9):
        tip = step(top, -70 + k * 17.5, tall * rng.uniform(0.16, 0.24))
        tip = (tip[0], tip[1] + tall * 0.05)
        pen.line([top, tip], 0.7, ink("#7f8f52"))
        for _ in range(9):
            pen.disc(
                tip[0] + rng.gauss(0, tall * 0.028),
                tip[1] + rng.gauss(0, tall * 0.013),
                max(0.8, tall * 0.011),
                ink("#fffbe9", 0.95),
            )


def fingerpost(s: Scene, x: float, y: float) -> None:
    pen = s.pen()
    pen.poly([(x - 6, y + 60), (x - 5, y - 150), (x, y - 157), (x + 5, y - 150), (x + 6, y + 60)], ink("#4d4031"))
    pen.poly(
        [(x - 4, y - 136), (x + 92, y - 143), (x + 110, y - 128), (x + 92, y - 113), (x - 4, y - 110)], ink("#efe4c6")
    )
    pen.poly([(x - 4, y - 114), (x + 92, y - 117), (x + 92, y - 113), (x - 4, y - 110)], ink("#bfa877"))
    for k in range(11):
        pen.rect(x + 12 + k * 7, y - 131, x + 16 + k * 7, y - 122, ink("#4a4334", 0.85 if k not in (5, 6) else 0))


def tarn_hill() -> Image.Image:
    s = Scene("tarn-hill 6")
    s.sky((0, "#6c93ab"), (0.3, "#a9bfc4"), (0.5, "#e8dcc4"), (1, "#e8dcc4"))
    clouds = s.noise(4, 14, 6).point(curve_of(lambda v: max(0, v - 120) * 3))
    s.light(ImageChops.multiply(clouds, s.shape([(0, 0), (1600, 0), (1600, 380), (0, 380)], blur=50)), "#f6efe2", 0.7)
    for i, tone in enumerate(["#9fb0b6", "#83989c"]):
        s.land(s.ridge(430 + i * 40, 50, 3, 6), tone, mix(tone, "#d9d3c0", 0.6), grain=0.15)
        s.fog(500 + i * 30, 26, "#e3dccb", 0.5)
    line = hill_line(s)
    mask = s.land(line, "#9a8468", "#a98a55", "#8f8048", "#6a6f3c", grain=0.3)
    gullies = s.noise(9, 6, 7).point(curve_of(lambda v: abs(v - 128) * 2))
    s.relief(mask, gullies, (1.0, 0.35), 1.1, 6)
    heather = s.noise(22, 40, 5).point(curve_of(lambda v: max(0, v - 140) * 3))
    s.tint(ImageChops.multiply(mask, heather), "#7a5566", 0.45)
    s.shade(
        ImageChops.multiply(mask, s.shape([(980, 150), (1600, 250), (1600, 760), (1210, 760), (1060, 500)], blur=40)),
        "#6a7088",
        0.6,
    )
    summit_path(s, line)
    tarn(s)
    return s.finish()


# x, height and width of the tops that make up Tarn Hill.
TOPS = [(965, 335, 300), (1230, 205, 300), (640, 170, 260), (330, 120, 240), (1520, 150, 260)]


def hill_line(s: Scene) -> list[Point]:
    rough = wander(s.rng, 801, 7, 8, 0.55)
    line: list[Point] = []
    for i in range(801):
        tall = max(height * math.exp(-((abs(i * 2 - x) / width) ** 1.7)) for x, height, width in TOPS)
        tall += sum(0.14 * height * math.exp(-(((i * 2 - x) / width) ** 2)) for x, height, width in TOPS)
        line.append((i * 2, 612 - tall - rough[i] * (5 + tall * 0.085)))
    return line


def summit_path(s: Scene, line: Sequence[Point]) -> None:
    pen = s.pen()
    turns = [
        (560, 640),
        (700, 612),
        (820, 560),
        (770, 500),
        (880, 452),
        (846, 396),
        (930, 350),
        (905, 300),
        (955, 250),
        (962, height_at(line, 962)),
    ]
    route = spline(turns, False, 14)
    for k, (a, b) in enumerate(itertools.pairwise(route)):
        pen.line([a, b], 4.6 - 3.4 * k / len(route), ink("#ecdcb2", 0.95))
    y = height_at(line, 962)
    for k in range(5):
        pen.rect(962 - 8 + k * 1.3, y - 4 - k * 4, 962 + 8 - k * 1.3, y - k * 4, ink("#3f4246"))
    for x, up in ((868, 447), (878, 450)):
        pen.line([(x, up), (x, up - 11)], 3, ink("#b5412f" if x == 868 else "#2f4a63"))
        pen.disc(x, up - 13, 2.3, ink("#e8c9a4"))


def tarn(s: Scene) -> None:
    """The lake mirrors what stands behind its far shore."""
    shore = spline(
        [
            (150, 668),
            (380, 640),
            (760, 632),
            (1180, 640),
            (1470, 664),
            (1500, 720),
            (1180, 780),
            (700, 792),
            (300, 768),
            (120, 716),
        ]
    )
    lake = s.shape(shore, blur=1)
    mirror = ImageOps.flip(s.image.crop((0, 0, s.size[0], 650 * SCALE))).filter(ImageFilter.GaussianBlur(5))
    mirror = mirror.resize((s.size[0], 420 * SCALE))
    layer = s.image.copy()
    layer.paste(mirror, (0, 640 * SCALE))
    layer = Image.blend(layer, Image.new("RGB", s.size, rgb("#b3cbd8")), 0.42)
    ripple = s.noise(5, 190, 3)
    layer = Image.blend(layer, ImageChops.soft_light(layer, Image.merge("RGB", [ripple] * 3)), 0.5)
    s.image.paste(layer, (0, 0), lake)
    glint = ImageChops.multiply(lake, ripple.point(curve_of(lambda v: max(0, v - 185) * 4)))
    s.light(ImageChops.multiply(glint, s.halo(420, 700, 520, 0.3)), "#fff8e6", 0.7)
    s.pen().line([*shore, shore[0]], 2.5, ink("#4a4b34", 0.7))
    reeds_and_bank(s)


def reeds_and_bank(s: Scene) -> None:
    line = [(x, y + 26 * math.cos(x / 290)) for x, y in s.ridge(812, 20, 3, 5)]
    s.land(line, "#8f8243", "#4f5a2b", "#2c3a20", grain=0.6)
    colors = ["#c9a650", "#8d8a42", "#e3cd84", "#5d6a30", "#a66f34"]
    grass(s.pen(), s.rng, line, 5200, 46, colors)
    for middle in (210, 330, 1340):
        spot = [(middle + s.rng.gauss(0, 50), 800 + s.rng.uniform(-12, 20)) for _ in range(60)]
        grass(s.pen(), s.rng, spot, 420, 96, colors)
    wall(s)


def wall(s: Scene) -> None:
    """A dry-stone wall that runs out of the picture on the right."""
    pen = s.pen()
    for row in range(6):
        x = 1130.0
        while x < 1620:
            rise = (x - 1130) / 490
            wide, tall = s.rng.uniform(15, 34) * (0.6 + rise * 0.5), (9 + 9 * rise)
            y = 842 + 20 * rise - row * tall
            tone = mix("#8d8b84", s.rng.choice(["#4a4d50", "#bdb6a4", "#6d6a5c"]), s.rng.uniform(0.1, 0.7))
            pen.poly(
                spline([(x, y), (x + wide - 2, y), (x + wide - 2, y - tall + 1.5), (x, y - tall + 1.5)], steps=3),
                ink(tone),
            )
            x += wide


def estuary() -> Image.Image:
    s = Scene("estuary 2")
    s.sky((0, "#4d6d8f"), (0.16, "#8ea1ad"), (0.3, "#f0c999"), (0.37, "#fbdfa9"), (1, "#fbdfa9"))
    s.glow(1020, 318, 620, "#fff1c0", 0.9, 0.5)
    s.pen().disc(1020, 300, 24, ink("#fffbe6"))
    streaks = s.noise(2, 26, 4).point(curve_of(lambda v: max(0, v - 140) * 3))
    s.tint(ImageChops.multiply(streaks, s.shape([(0, 40), (1600, 40), (1600, 280), (0, 280)], blur=40)), "#a9848a", 0.6)
    for i, tone in enumerate(["#98949e", "#6f7688"]):
        mask = s.shape([*s.ridge(325 + i * 14, 34 - i * 8, 3, 6), (1600, 356), (0, 356)])
        s.paint(mask, tone, mix(tone, "#f0cf9f", 0.5), grain=0.15)
    mud = s.shape([(0, 352), (1600, 352), (1600, 900), (0, 900)])
    s.paint(mud, "#c4a88c", "#94796c", "#665557", "#3b343e", grain=0.28, cells=(30, 260))
    sheen = ImageChops.multiply(ImageChops.multiply(mud, s.noise(5, 110, 5)), s.halo(1010, 380, 780, 0.55))
    s.light(sheen, "#f2c692", 0.75)
    channels(s)
    marsh(s)
    return s.finish()


CHANNELS = [
    ([(1000, 354), (1120, 378), (960, 410), (1180, 462), (820, 530), (1120, 640), (760, 770), (900, 920)], 250),
    ([(600, 356), (650, 380), (560, 408), (640, 450), (560, 505), (830, 548)], 56),
    ([(1420, 358), (1372, 385), (1440, 425), (1340, 480), (1400, 560), (1110, 636)], 76),
    ([(-40, 560), (140, 600), (90, 660), (330, 690), (300, 760), (700, 790)], 74),
    ([(1640, 690), (1480, 720), (1420, 790), (1180, 800), (930, 870)], 60),
    ([(240, 365), (290, 392), (210, 430), (280, 480), (140, 560)], 50),
]


def channels(s: Scene) -> None:
    """Each channel winds towards us and widens; the water carries the colours of the sky."""
    water, rim = s.mask(), s.mask()
    for course, width in CHANNELS:
        line = spline([(float(x), float(y)) for x, y in course], False, 160)
        for x, y in line:
            near = ((y - 345) / 555) ** 1.15
            half = max(1.6, width * near * (0.75 + 0.25 * math.sin(x / 47)))
            Pen(rim).disc(x, y - 2 - 7 * near, half * 1.07 + 3, 255, half * 0.30 + 3)
            Pen(water).disc(x, y, half, 255, half * 0.27 + 0.7)
    s.shade(rim.filter(ImageFilter.GaussianBlur(4)), "#4a3f48", 0.75)
    s.paint(water, "#fff0c4", "#f7cf9c", "#c9a9a0", "#7f90a8", "#4d6b8c")
    ripple = s.noise(6, 210, 3).point(curve_of(lambda v: max(0, v - 150) * 3))
    s.light(ImageChops.multiply(ImageChops.multiply(water, ripple), s.halo(1010, 470, 560, 0.9)), "#fff6da", 0.7)


def marsh(s: Scene) -> None:
    pen = s.pen()
    for x, y, size, turn in (
        (620, 612, 17, 1),
        (662, 618, 16, 1),
        (585, 626, 15, -1),
        (1290, 700, 24, -1),
        (1352, 712, 23, 1),
    ):
        wader(pen, x, y, size, turn)
    post_line = [(1230 + k * 26, 420 + k * 21) for k in range(9)]
    for k, (x, y) in enumerate(post_line):
        pen.line([(x, y), (x + 1, y - 12 - k * 7)], 2 + k * 0.6, ink("#3b3440"))
    near = [(x, y + 60 * math.sin(x / 520) ** 2) for x, y in s.ridge(858, 20, 4, 5)]
    s.land([(x, y + (90 if 560 < x < 1180 else 0)) for x, y in near], "#59563c", "#242820", grain=0.4)
    banks = [(x, y) for x, y in near if not 540 < x < 1200]
    grass(pen, s.rng, banks, 4200, 54, ["#7d7344", "#a88d55", "#3c4230", "#d8b777", "#2b3027"])
    gull = [(-1.0, 0.05), (-0.5, -0.28), (0, 0.0), (0.5, -0.28), (1.0, 0.05), (0.5, -0.16), (0, 0.1), (-0.5, -0.16)]
    for x, y, size in ((380, 180, 26), (455, 214, 18), (330, 236, 15), (1290, 150, 20), (520, 160, 12)):
        pen.poly(place(spline(gull), x, y, size, s.rng.uniform(-14, 14)), ink("#4a4a5c"))


def wader(pen: Pen, x: float, y: float, size: float, turn: int) -> None:
    """A curlew: long legs and a long, down-curved bill."""
    body = [
        (-0.9, -0.1),
        (-0.3, -0.5),
        (0.4, -0.55),
        (0.62, -0.95),
        (0.85, -1.05),
        (1.0, -0.92),
        (0.8, -0.75),
        (0.72, -0.3),
        (0.3, 0.05),
        (-0.4, 0.1),
    ]
    tone = ink("#2f2a33")
    pen.poly([(x + px * size * turn, y + py * size - size) for px, py in spline(body)], tone)
    bill = [
        (x + px * size * turn, y + py * size - size)
        for px, py in spline([(0.95, -0.95), (1.45, -0.85), (1.8, -0.45)], False)
    ]
    pen.line(bill, size * 0.07, tone)
    for leg in (-0.05, 0.2):
        pen.line(
            [(x + leg * size * turn, y - size), (x + (leg + 0.06) * size * turn, y + size * 0.05)], size * 0.06, tone
        )
    pen.line([(x - size * 0.5, y + size * 0.08), (x + size * 0.6, y + size * 0.08)], 1.2, ink("#2f2a33", 0.35))


# --------------------------------------------------------------------------------------------------------- the garden


def hedge_spring() -> Image.Image:
    s = Scene("hedge-spring 3")
    s.sky((0, "#4f93bb"), (0.3, "#9cc6d0"), (0.5, "#e9ecd4"), (1, "#e9ecd4"))
    for k in range(7):
        cumulus(
            s,
            90 + k * 250 + s.rng.uniform(-50, 50),
            330 - 130 * (k % 3) / 2,
            s.rng.uniform(90, 190) * (0.8 + 0.5 * (k % 3) / 2),
        )
    for i, tone in enumerate(["#a9bfa4", "#8fb076", "#7ba35a"]):
        line = s.ridge(410 + i * 42, 24, 3, 5)
        mask = s.shape([*line, (1600, 900), (0, 900)])
        ridge_trees(s, mask, line, i)
        s.paint(mask, mix(tone, "#eef0c8", 0.3), tone, grain=0.25)
        field_hedges(s, line, i)
    s.fog(500, 40, "#eef0dc", 0.35)
    hawthorn(s)
    return s.finish(vignette=0.25)


def hawthorn(s: Scene) -> None:
    """A flowering hedge with a gap for the gate, and the bank below it."""
    green = ["#1d3320", "#2d4f27", "#44702f", "#6b983e", "#9cbd55"]
    bank = [(x, y) for x, y in s.ridge(742, 16, 3, 4)]
    s.land(bank, "#7da24a", "#4f7a33", "#2f5528", grain=0.5)
    five_bars(s, 1080, 742)
    tops = wander(s.rng, 801, 9, 4)
    for _ in range(190):
        x = s.rng.uniform(-40, 1640)
        if 1050 < x < 1335:
            continue
        roof = 545 - 46 * tops[min(800, max(0, round(x / 2)))] - (120 if 1360 < x < 1560 else 0)
        y = s.rng.uniform(roof + 40, 745)
        leaves(s.pen(), s.rng, (x, y), (52, 46), 240, 4.2, green)
        if y < roof + 150 and s.rng.random() < 0.85:
            may_blossom(s, (x + s.rng.gauss(0, 18), y - 22))
    grass(
        s.pen(),
        s.rng,
        [(x, y + s.rng.uniform(0, 60)) for x, y in bank],
        4200,
        62,
        ["#8fb44d", "#5d8a38", "#c2cf74", "#3b662d"],
    )
    for _ in range(46):
        cow_parsley(s.pen(), s.rng, (s.rng.uniform(0, 1600), s.rng.uniform(800, 900)), s.rng.uniform(80, 165))
    for _ in range(130):
        x, y = s.rng.uniform(0, 1600), s.rng.uniform(780, 890)
        s.pen().disc(
            x, y, s.rng.uniform(1.6, 3.4), ink(s.rng.choice(["#e65f8a", "#f2d24b", "#5a66c2", "#ffffff"]), 0.95)
        )


def may_blossom(s: Scene, at: Point) -> None:
    pen = s.pen()
    for _ in range(58):
        x, y = at[0] + s.rng.gauss(0, 22), at[1] + s.rng.gauss(0, 12)
        size = s.rng.uniform(1.6, 3.4)
        pen.disc(x, y + 1, size, ink("#b9b8a4", 0.7))
        pen.disc(x, y, size, ink(s.rng.choice(["#ffffff", "#fdf3ea", "#fbe3e4"])))
        pen.disc(x, y, 0.7, ink("#d98a94"))


def five_bars(s: Scene, x: float, y: float) -> None:
    pen = s.pen()
    for k, level in enumerate((14, 36, 58, 80, 106)):
        pen.rect(x, y - level, x + 226, y - level + 8, ink("#a08f76"))
        pen.rect(x, y - level + 6, x + 226, y - level + 9, ink("#6d5f4d", 1 if k else 0.8))
    pen.line([(x + 4, y - 12), (x + 120, y - 104)], 7, ink("#95846b"))
    pen.line([(x + 222, y - 12), (x + 120, y - 104)], 7, ink("#8a795f"))
    for post in (x - 16, x + 224):
        pen.rect(post, y - 136, post + 20, y + 12, ink("#7a6a55"))
        pen.rect(post + 13, y - 136, post + 20, y + 12, ink("#55483a"))
        pen.poly([(post - 2, y - 136), (post + 10, y - 146), (post + 22, y - 136)], ink("#b3a288"))


def compost_heap() -> Image.Image:
    s = Scene("compost 5")
    s.sky((0, "#5d7686"), (0.25, "#a3a9a0"), (0.45, "#edc995"), (0.6, "#f3d8a6"), (1, "#8a8258"))
    s.glow(1250, 300, 620, "#ffe2a4", 0.85)
    line = s.ridge(470, 34, 3, 5)
    mask = s.shape([*line, (1600, 900), (0, 900)])
    ridge_trees(s, mask, line, 3)
    s.paint(mask, "#8c8f7c", "#c7b98e", grain=0.2)
    s.fog(540, 44, "#f3dfb5", 0.7)
    ground = s.land(s.ridge(640, 10, 3, 4), "#8f8d52", "#5d6636", "#2f3c22", grain=0.5)
    s.light(ImageChops.multiply(ground, s.halo(1250, 650, 520, 0.3)), "#f6d894", 0.5)
    for x, tall in ((120, 330), (1490, 380)):
        bare_tree(s.pen(), s.rng, (x, 672), tall * 0.25, s.rng.uniform(-4, 4), tall * 0.055, ink("#4d4a44"))
    bay_back(s)
    heap(s)
    steam(s)
    bay_front(s)
    return s.finish()


def slat(s: Scene, x0: float, x1: float, y: float, tall: float, tone: str) -> None:
    pen = s.pen()
    pen.rect(x0, y, x1, y + tall, ink(tone))
    for _ in range(12):
        start, level = s.rng.uniform(x0, x1 - 60), y + s.rng.uniform(2, tall - 2)
        pen.line(
            [(start, level), (min(x1, start + s.rng.uniform(50, 260)), level + s.rng.uniform(-1, 1))],
            1,
            ink(mix(tone, "#1d1712", 0.6), 0.6),
        )
    pen.rect(x0, y, x1, y + 3, ink(mix(tone, "#ffe6b0", 0.6)))
    pen.rect(x0, y + tall - 3, x1, y + tall, ink(mix(tone, "#1d1712", 0.6)))


def bay_back(s: Scene) -> None:
    for k in range(5):
        slat(s, 420, 1180, 372 + k * 62, 44, mix("#6d5b48", "#4b4038", k / 5))
    for x in (400, 1176):
        s.pen().rect(x, 340, x + 30, 720, ink("#4a3d31"))
        s.pen().rect(x + 22, 340, x + 30, 720, ink("#c7a06a"))


def heap(s: Scene) -> None:
    rough = wander(s.rng, 201, 14, 4)
    top = [(390 + k * 4.1, 740 - 325 * math.sin(math.pi * k / 200) ** 0.62 - rough[k] * 11) for k in range(201)]
    mask = s.shape([*top, (1210, 780), (390, 780)])
    s.paint(mask, "#7d5f3b", "#5a4229", "#33271d", grain=0.6, cells=(90, 60))
    s.relief(mask, s.noise(46, 26, 5), (-1, 0.8), 1.1, 7)
    scraps = ["#b5793a", "#d6a14c", "#6b7a35", "#8f4f2b", "#3b2c1f", "#c9b274", "#7b8a48", "#a93f2c", "#e3c58b"]
    for _ in range(1500):
        k = s.rng.randrange(6, 195)
        x, roof = top[k]
        y = roof + (770 - roof) * s.rng.random() ** 1.4
        leaf = place(
            spline([(-1, 0), (-0.2, -0.5), (1, 0), (-0.1, 0.45)], steps=4),
            x,
            y,
            s.rng.uniform(5, 13),
            s.rng.uniform(0, 360),
        )
        s.pen().poly(
            leaf, ink(mix(s.rng.choice(scraps), "#2a2019", min(0.75, (y - roof) / 420 + s.rng.uniform(0, 0.3))))
        )
    probe(s, 905, 470)
    fork(s, 655, 500)


def probe(s: Scene, x: float, y: float) -> None:
    """A dial thermometer on a long spike."""
    pen = s.pen()
    pen.line([(x, y - 96), (x - 16, y + 26)], 5, ink("#c9cdcb"))
    pen.disc(x + 4, y - 124, 36, ink("#3d4244"))
    pen.disc(x + 4, y - 124, 31, ink("#fbf6e6"))
    for k in range(11):
        start, end = step((x + 4, y - 124), -130 + k * 26, 27), step((x + 4, y - 124), -130 + k * 26, 21)
        pen.line([start, end], 2, ink("#c2452f" if k > 6 else "#3d4244"))
    pen.line([(x + 4, y - 124), step((x + 4, y - 124), 62, 23)], 3, ink("#c2452f"))
    pen.disc(x + 4, y - 124, 4, ink("#3d4244"))


def fork(s: Scene, x: float, y: float) -> None:
    pen = s.pen()
    pen.line([(x, y + 10), (x - 62, y - 262)], 11, ink("#8d6a42"))
    pen.line([(x + 3, y + 10), (x - 59, y - 262)], 3, ink("#e0b877"))
    pen.line([(x - 92, y - 258), (x - 34, y - 272)], 13, ink("#6d4f31"))
    pen.line(place([(-1, 0.3), (1, 0.3)], x + 4, y + 2, 34, -13), 9, ink("#40454a"))
    for tine in (-0.95, -0.32, 0.32, 0.95):
        pen.line(place([(tine, 0.3), (tine, 1.5)], x + 4, y + 2, 34, -13), 6, ink("#40454a"))


def steam(s: Scene) -> None:
    """Wisps that rise from the heap and drift to the left, lit from behind."""
    for k in range(26):
        x, rise, drift = s.rng.gauss(800, 130), s.rng.uniform(220, 440), s.rng.uniform(-210, -20)
        sway, mask = s.rng.uniform(16, 46), s.mask()
        for j in range(46):
            t = j / 45
            px = x + drift * t**1.5 + math.sin(t * 5 + k * 1.7) * sway * t
            Pen(mask).disc(px, 480 - rise * t, 5 + 32 * t, round(255 * math.sin(math.pi * (t * 0.9 + 0.1)) ** 1.5))
        mask = mask.filter(ImageFilter.GaussianBlur(30))
        soft = s.noise(12, 7, 5).filter(ImageFilter.GaussianBlur(8)).point(curve_of(lambda v: 40 + v * 4 // 5))
        s.light(ImageChops.multiply(mask, soft), "#fff3da", 0.6)


def bay_front(s: Scene) -> None:
    for k in range(3):
        slat(s, 380, 1220, 668 + k * 58, 46, mix("#8a7255", "#5c4c3b", k / 3))
    for x in (366, 1204):
        s.pen().rect(x, 560, x + 34, 860, ink("#57483a"))
        s.pen().rect(x + 26, 560, x + 34, 860, ink("#cfa870"))
    near = s.ridge(846, 10, 3, 4)
    s.land(near, "#55602f", "#28331c", grain=0.5)
    grass(s.pen(), s.rng, near, 3600, 52, ["#8d8a45", "#4d5a2b", "#d9bf74", "#38452a", "#f0dca0"])


MOTH = [
    (0.0, -0.32),
    (0.22, -0.34),
    (0.72, -0.56),
    (1.0, -0.42),
    (0.86, -0.05),
    (0.62, 0.1),
    (0.66, 0.36),
    (0.44, 0.6),
    (0.18, 0.5),
    (0.07, 0.28),
    (0.0, 0.52),
]


def moth(pen: Pen, at: Point, size: float, angle: float, tones: tuple[str, str, str]) -> None:
    """A moth with open wings; the tones are of wing, band and body."""
    half = MOTH
    outline = [*half, *[(-x, y) for x, y in reversed(half[1:-1])]]
    pen.poly(place([(x + 0.06, y + 0.1) for x, y in spline(outline)], *at, size, angle), ink("#5a5347", 0.35))
    pen.poly(place(spline(outline), *at, size, angle), ink(tones[0]))
    for side in (-1, 1):
        band = [(0.3 * side, -0.36), (0.52 * side, -0.15), (0.44 * side, 0.06), (0.5 * side, 0.42)]
        pen.line(place(spline(band, False), *at, size, angle), size * 0.07, ink(tones[1]))
        edge = [(0.86 * side, -0.44), (0.74 * side, -0.1), (0.52 * side, 0.12), (0.54 * side, 0.36)]
        pen.line(place(spline(edge, False), *at, size, angle), size * 0.035, ink(tones[1], 0.8))
        spot = place([(0.6 * side, -0.33)], *at, size, angle)[0]
        pen.disc(*spot, size * 0.065, ink(tones[2]))
        pen.disc(*spot, size * 0.03, ink(tones[0]))
        feeler = place(
            spline([(0.02 * side, -0.34), (0.12 * side, -0.56), (0.3 * side, -0.66)], False), *at, size, angle
        )
        pen.line(feeler, size * 0.025, ink(tones[2]))
    pen.poly(
        place(
            spline([(0, -0.42), (0.11, -0.2), (0.09, 0.2), (0, 0.48), (-0.09, 0.2), (-0.11, -0.2)]), *at, size, angle
        ),
        ink(tones[2]),
    )


def resting_moth(pen: Pen, at: Point, size: float, angle: float, tones: tuple[str, str, str]) -> None:
    """A moth at rest, its wings laid over its back like a roof."""
    outline = [
        (0, -0.6),
        (0.2, -0.5),
        (0.42, 0.1),
        (0.66, 0.72),
        (0.3, 0.78),
        (0, 0.62),
        (-0.3, 0.78),
        (-0.66, 0.72),
        (-0.42, 0.1),
        (-0.2, -0.5),
    ]
    pen.poly(place([(x + 0.08, y + 0.12) for x, y in spline(outline)], *at, size, angle), ink("#5a5347", 0.35))
    pen.poly(place(spline(outline), *at, size, angle), ink(tones[0]))
    for side in (-1, 1):
        for level, reach in ((-0.12, 0.3), (0.16, 0.4), (0.5, 0.52)):
            band = [(0.02 * side, level), (reach * 0.5 * side, level + 0.1), (reach * side, level)]
            pen.line(place(spline(band, False), *at, size, angle), size * 0.05, ink(tones[1], 0.9))
        spot = place([(0.24 * side, 0.32)], *at, size, angle)[0]
        pen.disc(*spot, size * 0.06, ink(tones[2]))
        pen.line(
            place(spline([(0.03 * side, -0.6), (0.12 * side, -0.86), (0.3 * side, -0.98)], False), *at, size, angle),
            size * 0.03,
            ink(tones[2]),
        )
    pen.line(place([(0, -0.3), (0, 0.6)], *at, size, angle), size * 0.035, ink(tones[2], 0.8))
    pen.poly(
        place(
            spline([(0, -0.74), (0.17, -0.56), (0.13, -0.3), (0, -0.2), (-0.13, -0.3), (-0.17, -0.56)]),
            *at,
            size,
            angle,
        ),
        ink(tones[2]),
    )


MOTH_TONES = [
    ("#c9b183", "#7d6440", "#5b4a33"),
    ("#e8e2d0", "#a89c84", "#6d6455"),
    ("#8a6f55", "#d9bd8d", "#4a3a2c"),
    ("#b7c38e", "#6f8250", "#56633c"),
    ("#d98c6a", "#8d4030", "#5d3328"),
    ("#a3a3ab", "#5e5f6d", "#44454f"),
]


def moth_sheet() -> Image.Image:
    s = Scene("moths 4")
    s.sky((0, "#0a1526"), (0.6, "#16273a"), (1, "#1d2f38"))
    stars(s, 240, 520)
    line = s.ridge(500, 40, 3, 5)
    mask = s.shape([*line, (1600, 900), (0, 900)])
    ridge_trees(s, mask, line, 4)
    s.paint(mask, "#12222c", "#0c171c", grain=0.2)
    s.glow(800, 330, 900, "#cfe3c8", 0.38)
    sheet(s)
    for k in range(34):
        at = (350 + k % 7 * 150 + s.rng.uniform(-55, 55), 255 + k // 7 * 100 + s.rng.uniform(-36, 36))
        draw = s.rng.choice([moth, resting_moth, resting_moth])
        if min(math.dist(at, big) for big in ((590, 470), (1040, 560), (880, 330))) > 110:
            draw(s.pen(), at, s.rng.choice([11, 14, 18, 24, 32]), s.rng.uniform(-75, 75), s.rng.choice(MOTH_TONES))
    moth(s.pen(), (590, 470), 92, 14, MOTH_TONES[0])
    moth(s.pen(), (1040, 560), 66, -22, MOTH_TONES[4])
    resting_moth(s.pen(), (880, 330), 62, 24, MOTH_TONES[5])
    lamp(s)
    night_border(s)
    return s.finish()


def sheet(s: Scene) -> None:
    cloth = s.shape(
        spline([(270, 176), (540, 188), (800, 192), (1060, 188), (1330, 176)], False)
        + spline([(1322, 480), (1335, 742), (1060, 756), (800, 746), (540, 758), (262, 744), (276, 480)], False)
    )
    s.shade(ImageChops.offset(cloth, 20, 30).filter(ImageFilter.GaussianBlur(30)), "#0a1216", 0.8)
    s.paint(cloth, "#f4f3e2", "#eceedd", "#c3cdc0", "#8fa3a0")
    folds = s.noise(16, 1, 3).filter(ImageFilter.GaussianBlur(6))
    s.relief(cloth, folds, (1, 0.05), 1.6, 10)
    s.light(ImageChops.multiply(cloth, s.halo(800, 300, 520)), "#fffbe0", 0.9)
    s.shade(ImageChops.subtract(cloth, s.halo(800, 380, 980, 0.8, 0.55)), "#5f7a86", 0.85)
    pen = s.pen()
    pen.line(spline([(200, 168), (540, 184), (800, 190), (1060, 184), (1400, 168)], False), 4, ink("#b9ad8d"))
    for x in (212, 1388):
        pen.poly([(x - 9, 830), (x - 7, 130), (x + 7, 130), (x + 9, 830)], ink("#2c2a26"))
        inner = x + 7 if x < 800 else x - 7
        pen.line([(inner, 134), (inner, 826)], 3, ink("#9aa287", 0.7))
    for x in (300, 540, 800, 1060, 1300):
        pen.rect(x - 5, 174 + 14 * math.sin((x - 200) / 382), x + 5, 204, ink("#b58a54"))


def lamp(s: Scene) -> None:
    pen = s.pen()
    pen.line([(800, 0), (800, 84)], 3, ink("#11181d"))
    pen.poly([(748, 122), (772, 84), (828, 84), (852, 122)], ink("#1d262b"))
    s.glow(800, 132, 330, "#f3ffe6", 0.8)
    pen.disc(800, 130, 21, ink("#fffff2"))
    for _ in range(46):
        x, y = 800 + s.rng.gauss(0, 150), 150 + s.rng.gauss(0, 70)
        pen.disc(x, y, s.rng.uniform(1, 2.6), ink("#fdfbe4", 0.8))


def night_border(s: Scene) -> None:
    near = s.ridge(828, 14, 3, 4)
    s.land(near, "#1d3328", "#0a1512", grain=0.4)
    colors = ["#294a35", "#1b3326", "#3f6a48", "#122119"]
    grass(s.pen(), s.rng, near, 3600, 66, colors)
    for _ in range(60):
        x = s.rng.choice([s.rng.gauss(120, 120), s.rng.gauss(1480, 120), s.rng.uniform(0, 1600)])
        tall = s.rng.uniform(60, 200) * (1 if abs(x - 800) > 560 else 0.45)
        top = (x + s.rng.gauss(0, 14), 850 - tall)
        s.pen().line([(x, 870), top], 2, ink("#29482f"))
        tone = s.rng.choice(["#b9a7d6", "#e9dfe8", "#8d7fb5", "#d6c98a"])
        for k in range(16):
            s.pen().disc(top[0] + s.rng.gauss(0, 4), top[1] + k * tall * 0.022, s.rng.uniform(1.8, 4), ink(tone, 0.85))


ROBIN = [
    (0.62, -0.72),
    (0.5, -0.9),
    (0.26, -0.9),
    (0.04, -0.66),
    (-0.3, -0.36),
    (-0.62, -0.02),
    (-1.22, 0.3),
    (-1.2, 0.42),
    (-0.7, 0.36),
    (-0.36, 0.55),
    (0.06, 0.62),
    (0.44, 0.44),
    (0.66, 0.08),
    (0.7, -0.3),
    (0.65, -0.54),
]
ROBIN_BREAST = [
    (0.63, -0.74),
    (0.47, -0.84),
    (0.3, -0.7),
    (0.24, -0.4),
    (0.14, -0.06),
    (0.24, 0.26),
    (0.5, 0.26),
    (0.67, 0.02),
    (0.7, -0.3),
    (0.65, -0.54),
]
ROBIN_WING = [
    (0.08, -0.46),
    (-0.24, -0.34),
    (-0.56, 0.0),
    (-0.96, 0.3),
    (-0.56, 0.28),
    (-0.1, 0.26),
    (0.12, 0.0),
    (0.16, -0.28),
]


def robin() -> Image.Image:
    s = Scene("robin 3")
    s.sky((0, "#0f1b33"), (0.55, "#22385a"), (0.8, "#3d5675"), (1, "#4a617c"))
    street(s)
    s.image = s.image.filter(ImageFilter.GaussianBlur(9))
    for _ in range(26):
        x, y, size = s.rng.uniform(0, 1600), s.rng.uniform(200, 620), s.rng.uniform(12, 38)
        s.light(s.shape(circle(x, y, size), blur=1.5), s.rng.choice(["#ffc36b", "#ffe2a8", "#7fa3d6", "#f08a5a"]), 0.2)
    s.glow(1180, 190, 420, "#ffc978", 0.85)
    s.light(s.shape(circle(1180, 190, 44), blur=6), "#fff0cc", 1)
    flakes(s)
    sill(s)
    bird(s, 640, 555, 225)
    return s.finish()


def street(s: Scene) -> None:
    pen = s.pen()
    for x, wide, tall in ((0, 330, 330), (300, 260, 260), (560, 280, 300), (1330, 330, 350)):
        pen.rect(x, 700 - tall, x + wide, 760, ink("#16233a"))
        pen.poly([(x - 14, 702 - tall), (x + wide / 2, 590 - tall), (x + wide + 14, 702 - tall)], ink("#c3d0de"))
        pen.poly([(x + 6, 706 - tall), (x + wide / 2, 606 - tall), (x + wide - 6, 706 - tall)], ink("#1b2a44"))
        for k in range(2):
            pen.rect(
                x + 50 + k * 110,
                745 - tall,
                x + 100 + k * 110,
                805 - tall,
                ink("#ffbe62" if (x + k) % 3 else "#2b3d5a"),
            )
    pen.rect(1172, 190, 1188, 760, ink("#0d1626"))


def flakes(s: Scene) -> None:
    for _ in range(150):
        x, y = s.rng.uniform(0, 1600), s.rng.uniform(0, 700)
        s.pen().disc(x, y, s.rng.uniform(1, 4.5), ink("#f2f6ff", s.rng.uniform(0.25, 0.75)))


def sill(s: Scene) -> None:
    """The window's frame, its stone sill and the snow on it."""
    pen = s.pen()
    s.paint(s.shape([(0, 742), (1600, 742), (1600, 900), (0, 900)]), "#8e9aab", "#4d596c", "#2a3344", grain=0.15)
    rough = wander(s.rng, 401, 9, 4)
    snow = [(k * 4.0, 738 - 9 * rough[k] - 12 * math.sin(k / 46)) for k in range(401)]
    mask = s.shape([*snow, (1600, 782), *[(k * 8.0, 782 + 10 * rough[k * 2]) for k in range(200, -1, -1)]])
    s.paint(mask, "#fdf6ea", "#cfdcec", "#9db3cd")
    s.light(ImageChops.multiply(mask, s.halo(1180, 740, 560, 0.3)), "#ffd79a", 0.8)
    s.shade(ImageChops.multiply(mask, s.halo(590, 752, 240, 0.16)), "#7288aa", 0.7)
    for x0, x1 in ((0, 74), (1530, 1600)):
        s.paint(s.shape([(x0, 0), (x1, 0), (x1, 900), (x0, 900)]), "#e9e4d8", "#b9b7b2", "#8d8f94")
        pen.rect(x1 - 8 if x0 == 0 else x0, 0, x1 if x0 == 0 else x0 + 8, 900, ink("#5d6672"))
    s.paint(s.shape([(0, 0), (1600, 0), (1600, 52), (0, 52)]), "#e3dfd5", "#a8a9aa")
    pen.rect(74, 46, 1530, 54, ink("#5d6672"))


def bird(s: Scene, x: float, y: float, size: float) -> None:
    pen = s.pen()
    for foot in (0.02, 0.2):
        leg = place([(foot, 0.52), (foot + 0.04, 0.8), (foot - 0.01, 0.86)], x, y, size)
        pen.line(leg, 5, ink("#3d2c26"))
        for toe in (-0.12, 0.04, 0.14):
            pen.line([leg[1], *place([(foot + toe, 0.87)], x, y, size)], 4, ink("#3d2c26"))
    body = s.shape(place(spline(ROBIN), x, y, size))
    s.paint(body, "#7c6a52", "#8d7a5e", "#cfc3ac", "#f0e9da", grain=0.1)
    back = s.shape(place(spline([*ROBIN[:8], (-0.7, 0.3), (-0.2, 0.1), (0.2, -0.2), (0.3, -0.7)]), x, y, size), blur=9)
    s.paint(ImageChops.multiply(back, body), "#77654c", "#5f4f3b", "#4d4032")
    ring = s.shape(place([(px * 1.08 - 0.06, py * 1.04) for px, py in spline(ROBIN_BREAST)], x, y, size), blur=7)
    s.tint(ImageChops.multiply(ring, body), "#8f9aa6", 0.9)
    breast = ImageChops.multiply(s.shape(place(spline(ROBIN_BREAST), x, y, size), blur=4), body)
    s.paint(breast, "#d9642a", "#e8792f", "#cf5a26")
    s.light(ImageChops.multiply(breast, s.halo(x + size * 0.65, y - size * 0.3, size * 0.6)), "#ffb35c", 0.75)
    feathers(s, (x, y), size)
    face(pen, x, y, size)
    rim = ImageChops.subtract(body, ImageChops.offset(body, -9, 7)).filter(ImageFilter.GaussianBlur(3))
    s.light(ImageChops.multiply(rim, body), "#ffdca0", 0.8)


def feathers(s: Scene, at: Point, size: float) -> None:
    wing = s.shape(place(spline(ROBIN_WING), *at, size), blur=1)
    s.paint(wing, "#6d5c45", "#54462f", "#3c3226", grain=0.15)
    pen = s.pen()
    for k in range(7):
        quill = spline(
            [(0.02 - k * 0.03, -0.3 + k * 0.07), (-0.3 - k * 0.02, -0.02 + k * 0.045), (-0.86 + k * 0.06, 0.29)], False
        )
        pen.line(place(quill, *at, size), 2.4, ink("#a8916a", 0.75))
    for _ in range(520):
        turn, far = s.rng.uniform(0, math.tau), math.sqrt(s.rng.random())
        px, py = 0.1 + math.cos(turn) * far * 0.5, 0.1 + math.sin(turn) * far * 0.42
        tone = s.rng.choice(["#fff3df", "#8a6f52"]) if px < 0.2 or py > 0.25 else s.rng.choice(["#ffab5e", "#a8431c"])
        tuft = place([(px, py), (px - 0.035, py + 0.05)], *at, size)
        pen.line(tuft, 1.2, ink(tone, 0.28))


def face(pen: Pen, x: float, y: float, size: float) -> None:
    pen.poly(place([(0.58, -0.77), (0.9, -0.9), (0.66, -0.67)], x, y, size), ink("#2c2622"))
    pen.poly(place([(0.6, -0.64), (0.86, -0.67), (0.63, -0.55)], x, y, size), ink("#3a312b"))
    eye = place([(0.43, -0.71)], x, y, size)[0]
    pen.disc(*eye, size * 0.062, ink("#5a2f18"))
    pen.disc(*eye, size * 0.052, ink("#120e0c"))
    pen.disc(eye[0] + size * 0.018, eye[1] - size * 0.02, size * 0.016, ink("#fff6e0"))


def orchard() -> Image.Image:
    s = Scene("orchard 7")
    s.sky((0, "#6f8fa6"), (0.25, "#b6c0bd"), (0.45, "#f3d5a8"), (0.55, "#fbe3b7"), (1, "#fbe3b7"))
    s.glow(420, 400, 640, "#fff0c2", 0.85, 0.8)
    s.pen().disc(420, 392, 27, ink("#fffdf0"))
    for i, tone in enumerate(["#b1ad9f", "#8f9484"]):
        line = s.ridge(450 + i * 34, 30, 3, 5)
        mask = s.shape([*line, (1600, 900), (0, 900)])
        ridge_trees(s, mask, line, i)
        s.paint(mask, tone, mix(tone, "#f7dfb2", 0.7), grain=0.15)
    s.fog(545, 34, "#fbe7c2", 0.7)
    s.land(s.ridge(556, 6, 2, 4), "#d6c88a", "#a8a65e", "#76803f", "#44542a", grain=0.25)
    rows: list[tuple[float, float, float]] = [(x, 572, 62) for x in range(60, 1600, 150)]
    rows += [(x, 606, 100) for x in range(-20, 1650, 235)] + [(x, 666, 165) for x in (-60, 330, 760, 1560)]
    for x, y, tall in rows:
        apple_tree(s, x + s.rng.uniform(-12, 12), y, tall, mix("#8d8068", "#45392e", (y - 560) / 120))
    apple_tree(s, 1160, 790, 330, "#362b24")
    ladder(s, 1010, 792)
    prunings(s)
    return s.finish()


def apple_tree(s: Scene, x: float, y: float, tall: float, tone: str) -> None:
    """An old apple tree with a short stem and wide limbs, and its shadow away from the sun."""
    length = (x - 420) * 0.25 + (80 if x > 420 else -80)
    shade = s.shape(
        [
            (x - tall * 0.04, y),
            (x + tall * 0.04, y),
            (x + length * 1.5 + tall * 0.5, y + tall * 0.55),
            (x + length * 1.5 - tall * 0.3, y + tall * 0.6),
        ],
        blur=5,
    )
    s.shade(shade, "#5d6a55", 0.45)
    pen, fill = s.pen(), ink(tone)
    fork_at = (x + s.rng.uniform(-0.04, 0.04) * tall, y - tall * 0.27)
    pen.poly(
        [
            (x - tall * 0.075, y + 3),
            (fork_at[0] - tall * 0.042, fork_at[1]),
            (fork_at[0] + tall * 0.042, fork_at[1]),
            (x + tall * 0.08, y + 3),
        ],
        fill,
    )
    pen.line([(x - tall * 0.045, y), (fork_at[0] - tall * 0.03, fork_at[1])], max(1, tall * 0.012), ink("#ffdf9f", 0.7))
    for angle in (-58, -30, -2, 27, 55):
        bare_tree(pen, s.rng, fork_at, tall * 0.215, angle + s.rng.uniform(-7, 7), tall * 0.042, fill)


def ladder(s: Scene, x: float, y: float) -> None:
    pen, tone = s.pen(), ink("#b3874f")
    feet, head = ((x - 34, y), (x + 14, y + 6)), ((x + 84, y - 268), (x + 106, y - 264))
    for foot, top in zip(feet, head, strict=True):
        pen.line([foot, top], 7, tone)
        pen.line([(foot[0] - 2, foot[1]), (top[0] - 2, top[1])], 2, ink("#f0cd8e"))
    for k in range(1, 10):
        t = k / 10
        a, b = (
            tuple(f + (h - f) * t for f, h in zip(foot, top, strict=True)) for foot, top in zip(feet, head, strict=True)
        )
        pen.line([(a[0], a[1]), (b[0], b[1])], 5, tone)


def prunings(s: Scene) -> None:
    near = s.ridge(838, 12, 3, 4)
    s.land(near, "#6d7a38", "#2c3d1f", grain=0.5)
    grass(s.pen(), s.rng, near, 3600, 44, ["#9aa04c", "#56692e", "#e0c97e", "#3b4d26", "#f6e3ab"])
    for _ in range(22):
        at = (s.rng.gauss(850, 80), 836 + s.rng.uniform(-22, 16))
        bare_tree(
            s.pen(),
            s.rng,
            at,
            s.rng.uniform(16, 40),
            s.rng.uniform(50, 130) * s.rng.choice([-1, 1]),
            3,
            ink(s.rng.choice(["#4d3a2c", "#6b5240", "#7d5b3f"])),
        )


# -------------------------------------------------------------------------------------------------------- the workbench


def rain_gauge() -> Image.Image:
    s = Scene("rain-gauge 2")
    s.sky((0, "#5a6c74"), (0.4, "#81918f"), (0.7, "#74875f"), (1, "#33462c"))
    garden_blur(s)
    post(s)
    bottle(s)
    rain(s)
    near = s.ridge(862, 16, 3, 4)
    grass(s.pen(), s.rng, [(x, y + 26) for x, y in near], 2400, 120, ["#3d5c2c", "#56793a", "#28421f", "#7d9a4d"])
    return s.finish()


def garden_blur(s: Scene) -> None:
    for _ in range(150):
        x, y = s.rng.uniform(-50, 1650), 420 + s.rng.random() ** 0.7 * 480
        size = 34 + (y - 380) * 0.16
        tone = s.rng.choice(["#4b6b3a", "#6a8a4a", "#2f4a2d", "#8ba35c", "#566f57"])
        leaves(
            s.pen(),
            s.rng,
            (x, y),
            (size * 1.4, size),
            60,
            10,
            [mix(tone, "#16241a", 0.45), tone, mix(tone, "#d8dca0", 0.25)],
        )
    for _ in range(60):
        tone = s.rng.choice(["#c26a8d", "#e2c04d", "#d8dde8", "#8a78b8"])
        s.pen().disc(s.rng.uniform(0, 1600), s.rng.uniform(520, 880), s.rng.uniform(6, 15), ink(tone))
    s.image = s.image.filter(ImageFilter.GaussianBlur(20))
    s.fog(430, 120, "#b9c6c2", 0.5)


def post(s: Scene) -> None:
    wood = s.shape([(842, 900), (846, 250), (960, 244), (964, 900)])
    s.shade(wood.filter(ImageFilter.GaussianBlur(16)), "#1d2a22", 0.4)
    s.paint(wood, "#8a7458", "#6a5742", "#4a3e31", grain=0.35, cells=(160, 10))
    s.pen().poly([(840, 252), (858, 236), (948, 232), (966, 246), (960, 252)], ink("#a99475"))
    s.pen().rect(846, 250, 853, 900, ink("#b9a380", 0.6))
    for _ in range(34):
        x, y = s.rng.uniform(852, 955), s.rng.uniform(260, 860)
        s.pen().line([(x, y), (x + s.rng.uniform(-3, 3), y + s.rng.uniform(30, 140))], 1.2, ink("#3a2f25", 0.5))


def bottle(s: Scene) -> None:
    """The lower part of a bottle with its own top turned over in it as a funnel."""
    glass = s.shape(
        spline(
            [
                (672, 300),
                (672, 420),
                (674, 640),
                (680, 756),
                (704, 784),
                (780, 790),
                (856, 784),
                (880, 756),
                (886, 640),
                (888, 420),
                (888, 300),
            ],
            False,
        )
    )
    s.light(glass, "#bcd6d2", 0.38)
    water = ImageChops.multiply(glass, s.shape([(600, 590), (1000, 590), (1000, 820), (600, 820)]))
    s.paint(water, "#8fc0cc", "#5f9db3", "#3b738c")
    s.pen().disc(780, 590, 104, ink("#cfe8ea", 0.9), 11)
    funnel(s)
    s.light(s.shape([(694, 330), (712, 330), (714, 740), (700, 740)], blur=4), "#ffffff", 0.75)
    s.light(s.shape([(858, 340), (868, 340), (866, 730), (860, 730)], blur=4), "#ffffff", 0.4)
    rim = ImageChops.subtract(glass, glass.filter(ImageFilter.GaussianBlur(7)))
    s.tint(rim, "#eef7f5", 0.9)
    ruler(s)
    for y in (372, 668):
        s.pen().rect(662, y, 900, y + 16, ink("#3f4648"))
        s.pen().rect(662, y, 900, y + 4, ink("#93a0a0"))


def funnel(s: Scene) -> None:
    cone = s.shape([(664, 286), (896, 286), (884, 318), (812, 440), (804, 500), (756, 500), (748, 440), (676, 318)])
    s.light(cone, "#d5e6e2", 0.4)
    pen = s.pen()
    for side in (-1, 1):
        pen.line(
            spline(
                [(780 + side * 114, 288), (780 + side * 102, 322), (780 + side * 34, 438), (780 + side * 24, 500)],
                False,
            ),
            3.2,
            ink("#f2faf8", 0.9),
        )
    for y in (462, 474, 486):
        pen.line([(754, y), (806, y + 2)], 2.4, ink("#e6f2f0", 0.7))
    pen.disc(780, 288, 116, ink("#f4fbfa", 0.75), 12)
    pen.disc(780, 288, 111, ink("#6f8a8a", 0.85), 9.5)
    for y, size in ((520, 5), (556, 6)):
        pen.poly(place(spline([(0, -1.7), (0.8, 0.2), (0, 1), (-0.8, 0.2)]), 780, y, size), ink("#dff1f4"))


def ruler(s: Scene) -> None:
    pen = s.pen()
    pen.rect(796, 540, 846, 752, ink("#fbf7e6", 0.92))
    for k in range(26):
        long = 24 if k % 5 == 0 else 12
        pen.line([(846, 748 - k * 8), (846 - long, 748 - k * 8)], 2 if k % 5 == 0 else 1.2, ink("#2d3a3c"))
    for k in range(1, 6):
        for j in range(k):
            pen.disc(804 + j * 4, 748 - k * 40, 1.5, ink("#b2402e"))


def rain(s: Scene) -> None:
    pen = s.pen()
    for _ in range(430):
        x, y, near = s.rng.uniform(-20, 1640), s.rng.uniform(-60, 900), s.rng.random() ** 3
        fall = 26 + 70 * near
        pen.line([(x, y), (x - fall * 0.13, y + fall)], 0.7 + 1.7 * near, ink("#eaf3f5", 0.2 + 0.4 * near))
    for _ in range(20):
        x, y = s.rng.choice([(s.rng.uniform(664, 896), 292), (s.rng.uniform(842, 964), 242)])
        for _ in range(4):
            tip = step((x, y), s.rng.uniform(-55, 55), s.rng.uniform(5, 24))
            pen.disc(*tip, s.rng.uniform(0.8, 2), ink("#f4fafb", 0.8))


def sensor_box() -> Image.Image:
    s = Scene("sensor-box 4")
    s.sky((0, "#4b7896"), (0.3, "#97b5b6"), (0.52, "#f4d9aa"), (0.62, "#fae4bd"), (1, "#fae4bd"))
    s.glow(260, 500, 620, "#fff0c4", 0.85, 0.8)
    for i, tone in enumerate(["#a5aea4", "#8a9d86", "#6d8766"]):
        line = s.ridge(520 + i * 44, 38, 3, 5)
        mask = s.shape([*line, (1600, 900), (0, 900)])
        ridge_trees(s, mask, line, i + 1)
        s.paint(mask, tone, mix(tone, "#f4dfb2", 0.6), grain=0.15)
        s.fog(600 + i * 40, 26, "#fbe8c4", 0.6)
    s.land(s.ridge(705, 10, 3, 4), "#a9a95c", "#74853f", "#35502a", grain=0.5)
    beds(s)
    screen(s, 960, 250)
    near = s.ridge(856, 14, 3, 4)
    grass(
        s.pen(),
        s.rng,
        [(x, y + 26) for x, y in near],
        3800,
        96,
        ["#6d8a3f", "#435f2c", "#b9b764", "#2f4a26", "#e9d48c"],
    )
    return s.finish()


def beds(s: Scene) -> None:
    for row, (y, size) in enumerate(((752, 15), (800, 24))):
        s.paint(
            s.shape([(0, y), (1600, y - 10), (1600, y + 14 + row * 8), (0, y + 20 + row * 8)], blur=3),
            "#6d5640",
            "#4a3a2c",
            grain=0.5,
        )
        for x in range(-10, 1640, round(size * 2.5)):
            tone = ("#5f8a4a", "#7d9a6d")[(x // 400 + row) % 2]
            leaves(
                s.pen(),
                s.rng,
                (x + s.rng.uniform(-4, 4), y - size * 0.3),
                (size, size * 0.75),
                70,
                size * 0.16,
                [mix(tone, "#17301c", 0.5), tone, mix(tone, "#f3e7a8", 0.45)],
            )


def screen(s: Scene, x: float, y: float) -> None:
    """A white louvred box on a post, with a little panel that feeds it."""
    pole = s.shape([(x + 96, y + 330), (x + 132, y + 330), (x + 136, 866), (x + 92, 866)])
    s.paint(pole, "#8d7a60", "#584a3a", grain=0.4, cells=(160, 12))
    s.pen().rect(x + 92, y + 330, x + 99, 866, ink("#f3d9a4", 0.75))
    body = s.shape([(x, y + 20), (x + 228, y + 20), (x + 228, y + 340), (x, y + 340)])
    s.paint(body, "#f9f5ea", "#d9d6cd", grain=0.05)
    pen = s.pen()
    for k in range(13):
        top = y + 34 + k * 23
        pen.poly([(x + 14, top + 5), (x + 214, top + 5), (x + 222, top + 20), (x + 6, top + 20)], ink("#fffaf0"))
        pen.poly([(x + 6, top + 20), (x + 222, top + 20), (x + 214, top + 26), (x + 14, top + 26)], ink("#5b6a72"))
        pen.line([(x + 6, top + 20), (x + 222, top + 20)], 1.6, ink("#c9b998"))
    shade = s.shape([(x + 120, y + 20), (x + 228, y + 20), (x + 228, y + 340), (x + 150, y + 340)], blur=30)
    s.shade(ImageChops.multiply(shade, body), "#8fa3b3", 0.6)
    s.light(ImageChops.multiply(body, s.halo(x - 20, y + 180, 190)), "#ffe9bd", 0.5)
    box_details(s, x, y)


def box_details(s: Scene, x: float, y: float) -> None:
    pen = s.pen()
    for left in (x - 6, x + 216):
        pen.rect(left, y + 16, left + 18, y + 348, ink("#f4efe2"))
        pen.rect(left + 13, y + 16, left + 18, y + 348, ink("#a3aaac"))
    pen.rect(x - 10, y + 340, x + 238, y + 356, ink("#d8d3c5"))
    pen.poly([(x - 30, y + 22), (x - 10, y - 12), (x + 238, y - 12), (x + 258, y + 22)], ink("#fffdf6"))
    pen.poly([(x - 30, y + 22), (x + 258, y + 22), (x + 250, y + 34), (x - 22, y + 34)], ink("#8d979b"))
    pen.line([(x + 206, y - 12), (x + 206, y - 62)], 5, ink("#4c565c"))
    pen.poly([(x + 150, y - 50), (x + 240, y - 92), (x + 268, y - 70), (x + 178, y - 26)], ink("#22354d"))
    for k in range(1, 4):
        a, b = (x + 150 + 90 * k / 4, y - 50 - 42 * k / 4), (x + 178 + 90 * k / 4, y - 26 - 44 * k / 4)
        pen.line([a, b], 1.6, ink("#8fb3d6"))
    pen.line([(x + 164, y - 38), (x + 254, y - 81)], 1.6, ink("#8fb3d6"))
    pen.line(
        spline([(x + 200, y + 356), (x + 214, y + 420), (x + 150, y + 450), (x + 134, y + 520)], False),
        4,
        ink("#2b3236"),
    )
    pen.disc(x + 24, y + 348, 4.5, ink("#57c27a"))
    s.glow(x + 24, y + 348, 34, "#7df0a2", 0.7)


def notebook_page() -> Image.Image:
    s = Scene("notebook 3")
    table = s.shape([(0, 0), (1600, 0), (1600, 900), (0, 900)])
    s.paint(table, "#4a3a2d", "#5d4936", "#3e3025", grain=0.45, cells=(6, 120))
    for y in (168, 392, 640, 858):
        s.pen().line([(0, y), (1600, y + s.rng.uniform(-8, 8))], 3, ink("#241a13", 0.8))
        s.pen().line([(0, y + 3), (1600, y + 3)], 1, ink("#8d7152", 0.5))
    s.glow(320, 60, 900, "#ffe0a8", 0.45)
    pages(s)
    left_page(s)
    right_page(s)
    pencil(s)
    fallen_leaf(s)
    return s.finish()


def pages(s: Scene) -> None:
    cover = s.shape([(196, 92), (1404, 84), (1418, 830), (184, 838)])
    s.shade(ImageChops.offset(cover, 40, 50).filter(ImageFilter.GaussianBlur(36)), "#120c08", 0.8)
    s.paint(cover, "#2f4f41", "#1f382e", grain=0.2)
    left = s.shape(
        spline([(214, 108), (500, 92), (800, 116)], False) + spline([(800, 822), (500, 798), (208, 816)], False)
    )
    right = s.shape(
        spline([(800, 116), (1100, 90), (1388, 102)], False) + spline([(1396, 810), (1100, 796), (800, 822)], False)
    )
    for page in (left, right):
        s.paint(page, "#fbf4e1", "#f4ead1", "#e9dcbe", grain=0.08, cells=(120, 80))
    gutter = s.shape([(730, 90), (870, 90), (870, 830), (730, 830)], blur=34)
    s.shade(ImageChops.multiply(gutter, ImageChops.lighter(left, right)), "#a08a68", 0.75)
    s.pen().line([(800, 116), (800, 822)], 2, ink("#7d684a"))
    stain = ImageChops.subtract(s.shape(circle(1270, 690, 92), blur=2), s.shape(circle(1270, 690, 85), blur=3))
    s.shade(ImageChops.multiply(stain, s.noise(12, 12, 3)), "#9a6f45", 0.7)


def scrawl(s: Scene, x: float, y: float, length: float, tone: str, size: float = 7) -> None:
    """A line of handwriting that nobody can read."""
    pen, end = s.pen(), x + length
    while x < end:
        word = s.rng.randint(2, 8)
        points: list[Point] = []
        for k in range(word * 2):
            tall = size * s.rng.uniform(0.5, 0.95) * (2.1 if s.rng.random() < 0.18 else 1)
            points.append((x + k * size * 0.42, y - (tall if k % 2 else s.rng.uniform(0, 1.5))))
        pen.line(spline(points, False, 6), 1.7, ink(tone, 0.85))
        x += word * size * 0.84 + size * 1.15


def left_page(s: Scene) -> None:
    pen, graphite = s.pen(), "#4a4a4e"
    for k in range(19):
        pen.line([(240, 190 + k * 32), (766, 190 + k * 32)], 1, ink("#8fb0bd", 0.6))
    pen.line([(300, 118), (296, 804)], 1.2, ink("#d08d80", 0.7))
    scrawl(s, 314, 160, 280, "#2f3f6a", 11)
    for k in (1, 2, 3, 4, 6, 7, 8):
        scrawl(s, 314, 186 + k * 32, s.rng.uniform(300, 410), graphite)
    for row in range(6):
        y = 510 + row * 40
        pen.line([(316, y), (740, y)], 1.6, ink(graphite, 0.8))
        if row < 5:
            for k, x in enumerate((330, 470, 560, 650)):
                scrawl(s, x, y + 29, 74 if k == 0 else 26, "#2f3f6a" if row == 0 else graphite, 8)
    for x in (316, 455, 545, 640, 740):
        pen.line([(x, 510), (x + 1, 710)], 1.6, ink(graphite, 0.8))
    scrawl(s, 314, 762, 330, graphite)


OAK_LEAF = [
    (0, -1),
    (0.16, -0.9),
    (0.2, -0.76),
    (0.14, -0.66),
    (0.34, -0.6),
    (0.42, -0.44),
    (0.26, -0.32),
    (0.44, -0.22),
    (0.54, -0.02),
    (0.3, 0.08),
    (0.42, 0.2),
    (0.4, 0.36),
    (0.2, 0.4),
    (0.22, 0.54),
    (0.1, 0.7),
    (0.02, 0.78),
]


def oak_outline() -> list[Point]:
    return spline([*OAK_LEAF, *[(-x, y + 0.03) for x, y in reversed(OAK_LEAF[1:])]])


def right_page(s: Scene) -> None:
    pen, tone = s.pen(), "#4b4740"
    leaf = place(oak_outline(), 1070, 420, 268, 14)
    wash = ImageChops.multiply(s.shape(leaf, blur=5), s.noise(9, 6, 4).point(curve_of(lambda v: 90 + v // 2)))
    s.shade(wash, "#a9b464", 0.85)
    for shift in (0, 1.4, -1.2):
        pen.line([(x + shift + s.rng.gauss(0, 0.5), y + s.rng.gauss(0, 0.5)) for x, y in leaf], 1.6, ink(tone, 0.7))
    pen.line(
        place(spline([(0, -0.9), (0.02, 0), (0, 0.8), (0.05, 1.18)], False), 1070, 420, 268, 14), 3, ink(tone, 0.9)
    )
    for level, reach in ((-0.55, 0.34), (-0.2, 0.46), (0.12, 0.38), (0.4, 0.24)):
        for side in (-1, 1):
            pen.line(
                place(
                    spline(
                        [(0, level + 0.24), (side * reach * 0.5, level + 0.08), (side * reach * 0.92, level - 0.02)],
                        False,
                    ),
                    1070,
                    420,
                    268,
                    14,
                ),
                1.6,
                ink(tone, 0.8),
            )
    for _ in range(60):
        px, py = s.rng.uniform(0.03, 0.3), s.rng.uniform(-0.5, 0.5)
        pen.line(place([(px, py), (px + 0.07, py - 0.06)], 1070, 420, 268, 14), 1, ink(tone, 0.5))
    acorn(s)
    for start, end, at in (
        ((1210, 250), (1136, 300), (1218, 246)),
        ((880, 300), (962, 372), (836, 286)),
        ((1256, 500), (1180, 490), (1262, 506)),
    ):
        pen.line(
            spline([start, ((start[0] + end[0]) / 2, start[1] + (end[1] - start[1]) * 0.2), end], False),
            1.6,
            ink("#2f3f6a", 0.9),
        )
        scrawl(s, *at, 64, "#2f3f6a", 7)
    scrawl(s, 880, 176, 200, "#2f3f6a", 10)
    scrawl(s, 880, 770, 300, tone)


def acorn(s: Scene) -> None:
    pen, tone = s.pen(), ink("#4b4740", 0.85)
    cup = place(spline([(-0.6, 0), (-0.4, -0.5), (0, -0.62), (0.4, -0.5), (0.6, 0)], False), 900, 640, 44, 24)
    nut = place(spline([(-0.52, 0), (-0.5, 0.6), (0, 1.15), (0.5, 0.6), (0.52, 0)], False), 900, 640, 44, 24)
    s.shade(s.shape(nut, blur=3), "#c9a05e", 0.7)
    for line in (cup, nut, [cup[0], cup[-1]]):
        pen.line(line, 2, tone)
    for _ in range(24):
        spot = place([(s.rng.uniform(-0.45, 0.45), s.rng.uniform(-0.42, -0.05))], 900, 640, 44, 24)[0]
        pen.disc(*spot, 2.2, ink("#4b4740", 0.45))


def pencil(s: Scene) -> None:
    def part(*points: Point) -> list[Point]:
        return place(points, 1010, 700, 1, -19)

    whole = s.shape(part((-30, -13), (390, -13), (390, 13), (-30, 13), (-78, 0)))
    s.shade(ImageChops.offset(whole, 14, 24).filter(ImageFilter.GaussianBlur(12)), "#4a3a28", 0.75)
    pen = s.pen()
    pen.poly(part((-78, 0), (-28, -13), (-28, 13)), ink("#e8c894"))
    pen.poly(part((-78, 0), (-60, -4.6), (-60, 4.6)), ink("#33343a"))
    for low, high, tone in ((-13, -5, "#d9a63a"), (-5, 5, "#c28a26"), (5, 13, "#8f6016")):
        pen.poly(part((-30, low), (340, low), (340, high), (-30, high)), ink(tone))
    pen.poly(part((340, -13), (366, -13), (366, 13), (340, 13)), ink("#aeb4b5"))
    pen.poly(part((366, -13), (392, -12), (392, 12), (366, 13)), ink("#c96f63"))
    pen.line(part((-26, -9), (340, -9)), 2, ink("#f6dc92", 0.8))


def fallen_leaf(s: Scene) -> None:
    for x, y, size, turn, tone in ((96, 680, 96, -40, "#a8622c"), (1500, 220, 78, 50, "#c08a35")):
        leaf = s.shape(place(oak_outline(), x, y, size, turn))
        s.shade(ImageChops.offset(leaf, 14, 18).filter(ImageFilter.GaussianBlur(9)), "#1a110a", 0.75)
        s.paint(leaf, mix(tone, "#f0c070", 0.3), tone, mix(tone, "#3a1d10", 0.4), grain=0.3)
        s.pen().line(place(spline([(0, -0.9), (0.02, 0), (0.05, 1.15)], False), x, y, size, turn), 2.6, ink("#5a3216"))
        for level in (-0.5, -0.15, 0.15, 0.42):
            for side in (-1, 1):
                s.pen().line(
                    place([(0, level + 0.2), (side * 0.34, level)], x, y, size, turn), 1.3, ink("#5a3216", 0.8)
                )


# ---------------------------------------------------------------------------------------------------------------- files


PICTURES: dict[str, Callable[[], Image.Image]] = {
    f"{drawing.__name__.replace('_', '-')}.jpg": drawing
    for drawing in (
        valley_fog,
        cloud_base,
        rainbow_bow,
        frost,
        moonrise,
        comet,
        orion_winter,
        meteor_night,
        swifts,
        footpath,
        tarn_hill,
        estuary,
        hedge_spring,
        compost_heap,
        moth_sheet,
        robin,
        orchard,
        rain_gauge,
        sensor_box,
        notebook_page,
    )
} | {"moon-phases.png": moon_phases}


def save_jpeg(image: Image.Image, path: Path) -> None:
    """Progressive, at quality 80 unless the file would be too large."""
    for quality in range(80, 40, -3):
        buffer = io.BytesIO()
        image.save(buffer, "JPEG", quality=quality, progressive=True, optimize=True)
        if buffer.tell() <= MAX_BYTES:
            break
    path.write_bytes(buffer.getvalue())


def save_png(image: Image.Image, path: Path) -> None:
    image.quantize(96, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(path, optimize=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="where the pictures go")
    parser.add_argument("names", nargs="*", help="file names to draw; all if none are given")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for name in options.names or PICTURES:
        save = save_png if name.endswith(".png") else save_jpeg
        save(PICTURES[name](), options.folder / name)


if __name__ == "__main__":
    main()
