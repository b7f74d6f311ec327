"""The templates that sitecms ships, analysed and compiled once for an installation, not once for each site.

It takes longer than to build a small site. They are kept where Python keeps this folder's compiled modules, or in the
site's folder of state if that place cannot be written. A file counts if all that it was made from is the same.
"""

import marshal
import sys
from contextlib import suppress
from hashlib import blake2b
from importlib.util import MAGIC_NUMBER, cache_from_source
from pathlib import Path
from types import CodeType

from jinja2 import TemplateError

from sitecms.files import write_atomically
from sitecms.resources import library_version
from sitecms.settings.site import STATE_FOLDER, SiteSettings
from sitecms.site.theme.environment import make_environment
from sitecms.site.theme.template_source import code_key, compiled
from sitecms.site.theme.theme import Theme

_DIGEST_BYTES = 32
_COMPILER = [blake2b(path.read_bytes()).digest() for path in sorted(Path(__file__).parent.glob("*.py"))]
"""Digests of the modules of this folder, as this process has loaded them."""


def template_cache(settings: SiteSettings) -> Path:
    """Return the folder of a site's compiled templates, and make it."""
    folder = _cache_of_site(settings)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _cache_of_site(settings: SiteSettings) -> Path:
    return settings.folder / STATE_FOLDER / "templates"


def use_shipped(theme: Theme, settings: SiteSettings) -> None:
    """Give the theme the uses and the code of all shipped templates; make and keep them if there are none.

    Raises ConfigurationError.
    """
    shipped = Theme(theme.shipped, {}, {}, theme.options)
    made_from = _made_from(shipped)
    name = f"{theme.options.name}-{sys.implementation.cache_tag}.templates"
    files = [folder / name for folder in (*_own_folder(), _cache_of_site(settings))]
    content = next(filter(None, (_read(file, made_from) for file in files)), None)
    if content is None:
        content = _make(shipped, settings)
        _write(files, made_from, content)
    uses, code = marshal.loads(content)  # noqa: S302 - compared with its digest
    theme.uses.add(uses)
    theme.code.update(code)


def _own_folder() -> tuple[Path, ...]:
    with suppress(NotImplementedError):  # a Python that keeps no compiled modules
        return (Path(cache_from_source(__file__)).parent,)
    return ()


def _made_from(shipped: Theme) -> bytes:
    """Return a digest of the templates, of the code in this folder that compiles them, and of Jinja and Python."""
    found = blake2b(MAGIC_NUMBER, digest_size=_DIGEST_BYTES)
    found.update(f"{library_version('jinja2')} {library_version('markupsafe')}".encode())
    found.update(b"".join(_COMPILER))
    for name, source in shipped.sources.items():
        found.update(blake2b(f"{name}\n{shipped.templates[name]}\n{source}".encode()).digest())
    return found.digest()


def _make(shipped: Theme, settings: SiteSettings) -> bytes:
    environment = make_environment(shipped, settings, lambda _address: None)
    code: dict[str, CodeType] = {}
    for name, source in shipped.sources.items():
        missing, file = shipped.missing(source), str(shipped.templates[name])
        with suppress(TemplateError):  # it fails when it is rendered, and is named then
            code[code_key(name, file, source, missing)] = compiled(environment, source, missing, name, file)
    return marshal.dumps((shipped.uses.to_json(), code))


def _read(file: Path, made_from: bytes) -> bytes | None:
    with suppress(OSError):
        data = file.read_bytes()
        content = data[_DIGEST_BYTES:]
        return content if data[:_DIGEST_BYTES] == _seal(made_from, content) else None
    return None


def _write(files: list[Path], made_from: bytes, content: bytes) -> None:
    """Write the first of the files that can be written. Python's setting to write no compiled modules counts here."""
    for file in files[sys.dont_write_bytecode :]:
        with suppress(OSError):
            file.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(file, _seal(made_from, content) + content)
            return


def _seal(made_from: bytes, content: bytes) -> bytes:
    return blake2b(made_from + content, digest_size=_DIGEST_BYTES).digest()
