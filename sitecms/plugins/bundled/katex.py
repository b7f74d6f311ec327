"""Formulas by KaTeX, which knows more of LaTeX than what is built in: `[plugins] enabled = ["katex"]`.

It needs Node.js, and KaTeX in a `node_modules` folder (`npm install katex`). One process of Node.js converts the
formulas of a load. What it makes is MathML, so that pages need no script, no style and no font of KaTeX.
"""

import atexit
import json
import os
import re
import subprocess
import threading
import unicodedata
from collections.abc import Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from sitecms.errors import ConfigurationError
from sitecms.plugins.hooks import hookimpl
from sitecms.plugins.values import Site

_PROGRAM = """
const katex = require("katex"), lines = require("node:readline").createInterface({ input: process.stdin });
require("katex/contrib/mhchem");
lines.on("line", (line) => {
  const { latex, displayMode, macros } = JSON.parse(line);
  let answer;
  try {
    answer = { html: katex.renderToString(latex, { displayMode, macros, output: "mathml", strict: "ignore" }) };
  } catch (error) {
    answer = { error: String(error.message) };
  }
  console.log(JSON.stringify(answer));
});
console.log(JSON.stringify({ html: katex.version }));
"""
_MATH = re.compile(r"<math.*</math>", re.DOTALL)
_LEFT_OUT = re.compile(
    r"<annotation.*?</annotation>|</?semantics>|"
    r' (?:xmlns|columnalign|columnlines|columnspacing|rowlines|rowspacing)="[^"]*"',
    re.DOTALL,
)
"""Markup that is not in MathML Core, the part that browsers know."""
_VARIANT = re.compile(r'<(mi|mn|mo|mtext) mathvariant="([a-z-]+)">([^<]*)</\1>')
"""Letters of another shape, which browsers draw by their own characters alone."""
_SHAPES = {
    "bold-italic": "bold italic", "bold-script": "bold script", "bold-fraktur": "bold fraktur",
    "bold-sans-serif": "sans-serif bold", "sans-serif-italic": "sans-serif italic",
    "sans-serif-bold-italic": "sans-serif bold italic",
}  # fmt: skip
"""The names that shapes have in Unicode, where they differ."""
_OLDEST = {"fraktur": "black-letter"}
"""The names of shapes among the oldest of these characters, where they differ."""
_ENDED = "KaTeX ended before it had converted the formula"
_PREFIX = re.compile(r"\AKaTeX parse error: ")


@hookimpl
def settings_schema() -> Mapping[str, object]:
    """Return the settings: where Node.js and KaTeX are."""
    return {
        "type": "object",
        "properties": {
            "program": {"type": "string", "default": "node", "description": "The program Node.js"},
            "modules": {
                "type": "string",
                "default": "node_modules",
                "description": "The folder that has katex, relative to the site",
            },
        },
    }


class _Converter:
    """A process of Node.js that converts formulas, one after the other."""

    def __init__(self, program: str, modules: Path) -> None:
        self._lock = threading.Lock()
        environment = {**os.environ, "NODE_PATH": str(modules)}
        command = [program, "-e", _PROGRAM]
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                encoding="utf-8", env=environment,
            )  # fmt: skip
        except OSError as error:
            raise ConfigurationError(f"{program} cannot be started ({error.strerror}); install Node.js") from error
        atexit.register(self._end)
        self._read(f"{program} finds no KaTeX in {modules}; run: npm install katex")

    def convert(self, latex: str, macros: Mapping[str, str], *, is_block: bool) -> str:
        """Return the MathML of a formula. Raises ValueError for one that cannot be converted."""
        question = {"latex": latex, "displayMode": is_block, "macros": {f"\\{name}": macros[name] for name in macros}}
        with self._lock:
            assert self._process.stdin is not None  # noqa: S101 - it is a pipe
            try:
                self._process.stdin.write(json.dumps(question) + "\n")
                self._process.stdin.flush()
                answer = self._read(_ENDED)
            except (BrokenPipeError, ConfigurationError) as error:
                _converter.cache_clear()  # the next formula begins a new process
                raise ConfigurationError(_ENDED) from error
        if "error" in answer:
            raise ValueError(_PREFIX.sub("", answer["error"]))
        match = _MATH.search(answer["html"])
        html = _VARIANT.sub(_with_letters, _LEFT_OUT.sub("", match[0])) if match else ""
        return html.replace("<math", '<math tabindex="0"', 1) if is_block else html  # a wide one may be scrolled

    def _end(self) -> None:
        """End the process, which reads until nothing comes any more."""
        with self._lock, self._process:
            pass

    def _read(self, problem: str) -> dict[str, str]:
        """Return the next answer. Raises ConfigurationError if the program has ended."""
        assert self._process.stdout is not None  # noqa: S101 - it is a pipe
        line = self._process.stdout.readline()
        if not line:
            self._process.wait()
            raise ConfigurationError(problem)
        answer: dict[str, str] = json.loads(line)
        return answer


def _with_letters(match: re.Match[str]) -> str:
    tag, variant, text = match.groups()
    if variant == "normal":
        return match[0]
    return f"<{tag}>{''.join(_letter(each, variant) for each in text)}</{tag}>"


def _letter(letter: str, variant: str) -> str:
    """Return the mathematical character for a letter or digit in a shape, the letter itself where there is none."""
    name = re.sub(r"^(?:LATIN|GREEK) (CAPITAL|SMALL) LETTER ", r"\1 ", unicodedata.name(letter, ""))
    for full in (f"MATHEMATICAL {_SHAPES.get(variant, variant)} {name}", f"{_OLDEST.get(variant, variant)} {name}"):
        with suppress(KeyError):
            return unicodedata.lookup(full.upper())
    return letter


@lru_cache(4)
def _converter(program: str, modules: Path, _process: int) -> _Converter:
    """Return the converter of this process: one that it was copied from keeps its own."""
    return _Converter(program, modules)


@hookimpl
def formula(site: Site, latex: str, is_block: bool, macros: Mapping[str, str]) -> str:
    """Return the MathML of a formula."""
    converter = _converter(site.options["program"], site.folder / site.options["modules"], os.getpid())
    return converter.convert(latex, macros, is_block=is_block)
