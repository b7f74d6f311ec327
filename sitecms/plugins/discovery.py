"""From names in `[plugins] enabled` to plug-ins: modules of the site's `plugins/` folder, then installed packages."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from hashlib import blake2b
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from msgspec import Struct

from sitecms import __version__
from sitecms.documents import nearest
from sitecms.documents.folders import link_out, link_problem
from sitecms.errors import PluginFailed

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint  # loaded where a site names an installed plug-in

GROUP = "sitecms"
"""The group of entry points of installed plug-ins."""
PLUGINS_FOLDER = "plugins"
BUNDLED = ("diagrams", "katex")
"""The plug-ins of `sitecms.plugins.bundled`, which a plug-in of the site or of a package may replace."""
_PACKAGE_FILE = "__init__.py"
_COMPILED = "__pycache__"
_REMEDY = "correct it, or leave the plug-ins out with --no-plugins"


class PluginProblem(Exception):
    """A plug-in that cannot be used; `file` is "" where its name in site.toml is the problem."""

    def __init__(self, problem: str, remedy: str, file: str = "", line: int | None = None) -> None:
        """Keep the parts of the message."""
        super().__init__(problem)
        self.problem, self.remedy, self.file, self.line = problem, remedy, file, line


class Plugin(Struct, frozen=True):
    """A plug-in that was imported: `module` has its hooks, and the files of `source` decide what it does.

    Names of its files in messages are relative to `folder`.
    """

    name: str
    version: str
    digest: str
    module: object
    source: tuple[Path, ...]
    folder: Path

    def failed(self, name: str, error: Exception) -> PluginFailed:
        """Return the error that names this plug-in, what of it failed, and its line."""
        file, line = self.place_of(error.__traceback__)
        return PluginFailed(self.name, name, f"{type(error).__name__}: {error}", file, line)

    def place_of(self, trace: TracebackType | None) -> tuple[str, int | None]:
        """Return the last of its lines that led to an error, with the file; the first file if the error is not its."""
        files = {str(path): path for path in self.source}
        lines = [(files[name], line) for name, line in _lines_of(trace) if name in files]
        file, line = lines[-1] if lines else (self.source[0], None)
        return file.relative_to(self.folder).as_posix(), line


def _lines_of(trace: TracebackType | None) -> Iterator[tuple[str, int]]:
    """Yield file and line of each call that led to an error."""
    while trace is not None:
        yield trace.tb_frame.f_code.co_filename, trace.tb_lineno
        trace = trace.tb_next


def plain_name(name: str) -> str:
    """Return the name as modules have it; packages and settings may write a hyphen."""
    return name.replace("-", "_")


def find_plugin(site: Path, name: str) -> Plugin:
    """Import the plug-in of that name. Raises PluginProblem if there is none, or it cannot be imported."""
    if file := _site_files(site).get(plain_name(name)):
        return _import_file(site, name, file)
    point = _entry_points().get(plain_name(name))
    if point is None and plain_name(name) in BUNDLED:
        return _import_bundled(plain_name(name))
    if point is None:
        raise PluginProblem(f'is "{name}", and there is no such plug-in', _suggestion(site, name))
    return _import_installed(point)


def plugin_names(site: Path) -> tuple[str, ...]:
    """Return the names of all plug-ins that the site could enable."""
    return tuple(sorted({*_site_files(site), *_entry_points(), *BUNDLED}))


def _suggestion(site: Path, name: str) -> str:
    if meant := nearest(plain_name(name), plugin_names(site)):
        return f'did you mean "{meant}"?'
    own, installed = ", ".join(_site_files(site)) or "none", ", ".join((*_entry_points(), *BUNDLED))
    return f"in {PLUGINS_FOLDER}/: {own}; installed: {installed}"


def _site_files(site: Path) -> Mapping[str, Path]:
    """Return the modules and packages of the site's folder by name."""
    folder = site / PLUGINS_FOLDER
    modules = {path.stem: path for path in folder.glob("*.py") if path.name != _PACKAGE_FILE}
    packages = {path.parent.name: path for path in folder.glob(f"*/{_PACKAGE_FILE}")}
    return {name: path for name, path in sorted({**modules, **packages}.items()) if name.isidentifier()}


def _entry_points() -> "Mapping[str, EntryPoint]":
    from importlib.metadata import entry_points

    return {plain_name(point.name): point for point in sorted(entry_points(group=GROUP), key=lambda each: each.name)}


def _import_file(site: Path, name: str, file: Path) -> Plugin:
    """Import a module of the site under a name that is its own: another site, or a changed file, gives another."""
    is_package = file.name == _PACKAGE_FILE
    source = _sources([file.parent]) if is_package else (file,)
    for path in source:
        label = path.relative_to(site).as_posix()
        if target := link_out(site, label):
            raise PluginProblem(link_problem(target), "put the file itself there, or remove the link", label)
    digest = _digest(source, site)
    unique = f"_{blake2b(f'{site} {digest}'.encode(), digest_size=8).hexdigest()}_{plain_name(name)}"
    module = sys.modules.get(unique)
    if module is None:
        inner = [str(file.parent)] if is_package else None
        spec = spec_from_file_location(unique, file, submodule_search_locations=inner)
        assert spec is not None  # noqa: S101 - the name ends in .py
        assert spec.loader is not None  # noqa: S101
        module = module_from_spec(spec)
        label = file.relative_to(site).as_posix()
        with _without_compiled_files(), _import_problems(label, file):
            sys.modules[unique] = module
            try:
                spec.loader.exec_module(module)
            except BaseException:
                del sys.modules[unique]
                raise
    return Plugin(name, str(getattr(module, "__version__", "")), digest, module, source, site)


@cache
def _import_installed(point: "EntryPoint") -> Plugin:
    """Import an installed plug-in: once, since Python keeps its modules until the process ends."""
    spec = find_spec(point.module.partition(".")[0])
    if spec is None or not (spec.origin or spec.submodule_search_locations):
        problem = f"is installed, but its module {point.module} cannot be found"
        raise PluginProblem(problem, "install its package again")
    if folders := spec.submodule_search_locations:
        roots = [Path(folder) for folder in folders]
        source, folder = _sources(roots), roots[0].parent
    else:
        source, folder = (Path(str(spec.origin)),), Path(str(spec.origin)).parent
    with _import_problems(point.module, source[0]):
        module = point.load()
    version = point.dist.version if point.dist else ""
    return Plugin(point.name, version, _digest(source, folder), module, source, folder)


def _import_bundled(name: str) -> Plugin:
    module = import_module(f"sitecms.plugins.bundled.{name}")
    source = (Path(str(module.__file__)),)
    return Plugin(name, __version__, _digest(source, source[0].parent), module, source, source[0].parent)


def _sources(folders: list[Path]) -> tuple[Path, ...]:
    """Return all files of packages: a plug-in may read more of them than its modules."""
    files = (path for folder in folders for path in folder.rglob("*") if path.is_file())
    return tuple(sorted(path for path in files if _COMPILED not in path.parts))


def _digest(files: tuple[Path, ...], folder: Path) -> str:
    digest = blake2b(digest_size=16)
    for path in files:
        content = path.read_bytes()
        digest.update(f"{path.relative_to(folder).as_posix()} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()


@contextmanager
def _without_compiled_files() -> Iterator[None]:
    """Write no compiled files into the site folder, where they would be taken for a change."""
    former, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        yield
    finally:
        sys.dont_write_bytecode = former


@contextmanager
def _import_problems(label: str, file: Path) -> Iterator[None]:
    """Raise PluginProblem for whatever an import raises."""
    try:
        yield
    except PluginProblem:
        raise
    except SyntaxError as error:
        is_own = error.filename == str(file)
        problem = f"is no Python code: {error.msg}" if is_own else f"cannot be imported: {error}"
        raise PluginProblem(problem, _REMEDY, label, error.lineno if is_own else None) from error
    except Exception as error:
        line = next((line for name, line in _lines_of(error.__traceback__) if name == str(file)), None)
        raise PluginProblem(f"cannot be imported: {type(error).__name__}: {error}", _REMEDY, label, line) from error
