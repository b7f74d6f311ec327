"""The plug-ins of one site, and how their hooks are called: each error names the plug-in, the hook and the line."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property, partial, wraps
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from sitecms.documents import Locate, nearest, place_of, schema_errors, with_defaults
from sitecms.errors import ConfigurationError, FileError, InvalidFiles, PluginFailed
from sitecms.plugins.discovery import Plugin, PluginProblem, find_plugin, plain_name, plugin_names
from sitecms.plugins.values import Exporter, Importer, Site

if TYPE_CHECKING:
    from pluggy import HookCaller, PluginManager

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")
DIRECTIVES, MARKS, SHORTCODES, FORMULA = "markdown_directives", "markdown_marks", "shortcodes", "formula"
"""Hooks that render parts of texts."""
FIELD_TYPES, FIELD_INPUTS = "field_types", "field_inputs"
CHECKS, EXPORTERS, IMPORTERS = "checks", "exporters", "importers"
ADDRESSED = frozenset({CHECKS})
"""Hooks whose functions may be addresses, and return several results."""
BUILT_IN: Mapping[str, str] = {
    DIRECTIVES: "sitecms.content.text.markdown.directives:markdown_directives",
    FIELD_TYPES: "sitecms.content.fields.types:field_types",
    IMPORTERS: "sitecms.importing.readers:importers",
    EXPORTERS: "sitecms.site.export.run:exporters",
    CHECKS: "sitecms.site.check.checks:checks",
}
"""The function that returns what is built in, by hook: it is imported when somebody asks for it."""
_SETTINGS, _THEMES, _COMMANDS, _TEMPLATE_VALUES = "settings_schema", "themes", "commands", "template_values"
_FUNCTION: tuple[tuple[Any, ...], str] = ((Callable,), "a function")
_FUNCTION_OR_ADDRESS: tuple[tuple[Any, ...], str] = ((Callable, str), "a function, or the address of one")
_EXPECTED: Mapping[str, tuple[tuple[Any, ...], str]] = {
    _SETTINGS: ((object,), ""),
    _TEMPLATE_VALUES: ((object,), ""),
    _THEMES: ((Path,), "the Path of its folder"),
    IMPORTERS: ((Importer,), "an Importer"),
    EXPORTERS: ((Exporter,), "an Exporter"),
    CHECKS: _FUNCTION_OR_ADDRESS,
    FIELD_TYPES: _FUNCTION_OR_ADDRESS,
    _COMMANDS: _FUNCTION_OR_ADDRESS,
}
"""The types of the values that a mapping of a hook has, and their name in messages; of other hooks, functions."""
_ENABLED = "enabled"
_TABLE = "plugins"
_ARGUMENTS = "take the arguments that the reference of hooks names, or some of them"


class SitePlugins(Struct, frozen=True, dict=True):
    """The enabled plug-ins of one site, in the order of `enabled`, and their settings by name.

    `are_left_out`: --no-plugins was given. `are_silent`: they hear of no event, since nothing happens to the site
    itself. Plug-ins of two sites in one process do not see each other.
    """

    site: Site = Site(Path(), "", "", (), "")
    plugins: tuple[Plugin, ...] = ()
    options: Mapping[str, Mapping[str, Any]] = {}
    are_left_out: bool = False
    are_silent: bool = False

    def __repr__(self) -> str:
        """Return what decides the results of the plug-ins: the inputs of a build contain it."""
        return f"SitePlugins({[self.identity(plugin) for plugin in self.plugins]})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SitePlugins) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[str, Path]:
        return repr(self), self.site.folder

    def at(self, url: str) -> "SitePlugins":
        """Return the plug-ins for another address of the site."""
        return self.of(replace(self.site, url=url))

    def of(self, site: Site) -> "SitePlugins":
        """Return the plug-ins for other settings of the site."""
        return replace(self, site=site)

    def inputs(self, *hooks: str) -> tuple[str, ...]:
        """Return the identity of each plug-in that has one of the hooks, for fingerprints."""
        touching = {plugin.name for hook in hooks for plugin, _ in self._callers(hook)}
        return tuple(self.identity(plugin) for plugin in self.plugins if plugin.name in touching)

    def identity(self, plugin: Plugin) -> str:
        """Return name, version, digest and settings of a plug-in, and what it knows of the site but its folder."""
        options = sorted(self.options.get(plugin.name, {}).items())
        site = (self.site.name, self.site.url, self.site.locales, self.site.default_locale)
        return repr((plugin.name, plugin.version, plugin.digest, options, site))

    @property
    def text_inputs(self) -> tuple[str, ...]:
        """The inputs on which rendered texts and fields depend."""
        return self.inputs(DIRECTIVES, MARKS, FORMULA, SHORTCODES, FIELD_TYPES)

    def has(self, hook: str) -> bool:
        """Return whether a plug-in has the hook."""
        return bool(self._callers(hook))

    def results(self, hook: str, **arguments: object) -> Iterator[tuple[Plugin, Any]]:
        """Yield what each plug-in returns, but for None. Raises PluginFailed."""
        for plugin, caller in self._callers(hook):
            call = self.guarded(plugin, hook, caller)
            for result in call(site=self._site_of(plugin), **arguments):
                yield plugin, result

    def mappings(self, hook: str) -> Iterator[tuple[Plugin, Mapping[str, Any]]]:
        """Yield the mapping that each plug-in returns. Raises ConfigurationError for anything else, PluginFailed."""
        types, expected = _EXPECTED.get(hook, _FUNCTION)
        for plugin, values in self.results(hook):
            if not isinstance(values, Mapping):
                raise ConfigurationError(f"The plug-in {plugin.name}: {hook} returns no mapping of names.")
            for name, value in values.items():
                if not isinstance(value, types):
                    problem = f"{hook} returns {value!r} as {name} (expected {expected})"
                    raise ConfigurationError(f"The plug-in {plugin.name}: {problem}.")
            yield plugin, values

    def named(self, hook: str, kind: str, taken: Collection[str] = ()) -> dict[str, Any]:
        """Return what there is by name, built in and of plug-ins; `kind` is a word for messages.

        Functions of plug-ins name their plug-in if they fail.

        Raises ConfigurationError for a name that is `taken` or that two plug-ins add, and where one returns anything
        but a mapping, PluginFailed.
        """
        added: dict[str, Any] = dict(resolve(BUILT_IN[hook])()) if hook in BUILT_IN else {}
        taken = {*taken, *added}
        owners: dict[str, str] = {}
        for plugin, values in self.mappings(hook):
            for name, value in values.items():
                if name in taken:
                    built_in = f"The plug-in {plugin.name} has the {kind} {name}, and there is a built-in one"
                    raise ConfigurationError(f"{built_in}; choose another name.")
                if name in owners:
                    both = f"The plug-ins {owners[name]} and {plugin.name} both have the {kind} {name}"
                    raise ConfigurationError(f"{both}; enable one of them.")
                owners[name] = plugin.name
                added_value = partial(_call_all, value) if hook in ADDRESSED else value
                is_function = callable(added_value)
                added[name] = self.guarded(plugin, f"{kind} {name}", added_value) if is_function else added_value
        return added

    @contextmanager
    def blaming(self, hook: str, name: str) -> Iterator[None]:
        """Name the plug-in in errors of what it adds by that name; those of built-in parts stay as they are."""
        try:
            yield
        except (PluginFailed, ConfigurationError):
            raise
        except Exception as error:
            owner = next((plugin for plugin, values in self.mappings(hook) if name in values), None)
            if owner is None:
                raise
            raise owner.failed(f"{hook} {name}", error) from error

    def changed(self, hook: str, text: str, arguments: Callable[[str], Mapping[str, object]]) -> str:
        """Return the text as the plug-ins leave it, each given what the one before it returned. Raises PluginFailed.

        `arguments` returns those of the hook for a text.
        """
        for plugin, caller in self._callers(hook):
            results = self.guarded(plugin, hook, caller)(site=self._site_of(plugin), **arguments(text))
            text = str(results[0]) if results else text
        return text

    def attempts(self, hook: str, **arguments: object) -> Iterator[tuple[Any, str]]:
        """Call a hook of each plug-in whatever the others do; yield what it returned and "", or None and its error."""
        for plugin, caller in self._callers(hook) if not self.are_silent else ():
            try:
                results = self.guarded(plugin, hook, caller)(site=self._site_of(plugin), **arguments)
            except PluginFailed as error:
                yield None, str(error)
            else:
                yield (results[0] if results else None), ""

    def tell(self, hook: str, **arguments: object) -> tuple[str, ...]:
        """Call a hook of all plug-ins for an event; return a message for each that failed."""
        return tuple(problem for _, problem in self.attempts(hook, **arguments) if problem)

    def guarded(self, plugin: Plugin, name: str, function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
        """Return the function, whose errors become PluginFailed with the plug-in, the name, its file and line."""

        @wraps(function)
        def call(*args: Arguments.args, **kwargs: Arguments.kwargs) -> Result:
            try:
                return function(*args, **kwargs)
            except PluginFailed:
                raise
            except Exception as error:
                raise plugin.failed(name, error) from error

        return call

    def _site_of(self, plugin: Plugin) -> Site:
        return replace(self.site, options=self.options.get(plugin.name, {}))

    def _callers(self, hook: str) -> "Sequence[tuple[Plugin, HookCaller]]":
        return self._by_hook.get(hook, ()) if self.plugins else ()

    @cached_property
    def _by_hook(self) -> "Mapping[str, Sequence[tuple[Plugin, HookCaller]]]":
        """The plug-ins that have each hook, with the function of pluggy that calls it of this plug-in alone."""
        manager = self._manager
        by_hook: dict[str, list[tuple[Plugin, HookCaller]]] = {}
        for plugin in self.plugins:
            others = [other.module for other in self.plugins if other is not plugin]
            for caller in manager.get_hookcallers(plugin.module) or ():
                alone = manager.subset_hook_caller(caller.name, others)
                by_hook.setdefault(caller.name, []).append((plugin, alone))
        return by_hook

    @cached_property
    def _manager(self) -> "PluginManager":
        """The manager of pluggy. Raises InvalidFiles for hooks that do not exist, or take other arguments."""
        from pluggy import PluginManager, PluginValidationError

        from sitecms.plugins import hooks

        manager, errors = PluginManager(hooks.PROJECT), list[FileError]()
        manager.add_hookspecs(hooks)
        for plugin in self.plugins:
            file = plugin.place_of(None)[0]
            try:
                manager.register(plugin.module, plugin.name)
            except PluginValidationError as error:
                errors.append(FileError(file, "", f"has a hook that cannot be called: {_last_line(error)}", _ARGUMENTS))
                continue
            for caller in manager.get_hookcallers(plugin.module) or ():
                if not caller.has_spec():
                    meant = nearest(caller.name, hooks.all_hooks())
                    remedy = f'did you mean "{meant}"?' if meant else f"hooks are {', '.join(hooks.all_hooks())}"
                    errors.append(FileError(file, "", f"has an unknown hook {caller.name}", remedy))
        if errors:
            raise InvalidFiles(errors)
        return manager


def _last_line(error: Exception) -> str:
    return " ".join(str(error).splitlines()[-1].split())


def _call_all(function: Any, *arguments: Any) -> list[Any]:
    """Return all results of a function, or of that at an address, so that errors arise within the call."""
    return list(resolve(function)(*arguments))


def resolve(value: Any) -> Any:
    """Return the object at an address `module:name`; anything but a text is returned as it is."""
    if not isinstance(value, str):
        return value
    module, _, name = value.partition(":")
    return getattr(import_module(module), name)


def are_opened(opened: SitePlugins, table: Mapping[str, Any], file: str, locate: Locate) -> bool:
    """Return whether the table [plugins] of a settings file enables the plug-ins that are open, with their settings.

    Raises InvalidFiles for invalid settings of theirs.
    """
    names = [plain_name(name) for name in table.get(_ENABLED, ())]
    if opened.are_left_out or names != [plain_name(plugin.name) for plugin in opened.plugins]:
        return opened.are_left_out
    tables = {name: values for name, values in table.items() if name != _ENABLED}
    if errors := tuple(_unknown_tables(tables, table.get(_ENABLED, ()), opened.site.folder, file, locate)):
        raise InvalidFiles(errors)
    return _checked_options(opened, tables, file, locate) == opened.options


def open_plugins(table: Mapping[str, Any], site: Site, file: str, locate: Locate) -> SitePlugins:
    """Import the plug-ins that the table [plugins] of a settings file enables, and check their settings.

    Raises InvalidFiles with all errors: in names, in settings, and in plug-ins that cannot be imported.
    """
    plugins, errors = list[Plugin](), list[FileError]()
    names = [plain_name(name) for name in table[_ENABLED]]
    for number, name in enumerate(table[_ENABLED]):
        place = (_TABLE, _ENABLED, number)
        if names[number] in names[:number]:
            problem = f'is "{name}", which names an enabled plug-in again'
            errors.append(FileError(file, place_of(place), problem, "take one of them out", locate(place)))
            continue
        try:
            plugins.append(find_plugin(site.folder, name))
        except PluginProblem as problem:
            at = (file, place_of(place), locate(place)) if not problem.file else (problem.file, "", problem.line)
            errors.append(FileError(at[0], at[1], problem.problem, problem.remedy, at[2]))
    tables = {name: values for name, values in table.items() if name != _ENABLED}
    errors += _unknown_tables(tables, table[_ENABLED], site.folder, file, locate)
    if errors:
        raise InvalidFiles(errors)
    opened = SitePlugins(site, tuple(plugins))
    return replace(opened, options=_checked_options(opened, tables, file, locate)) if plugins else opened


def _unknown_tables(
    tables: Mapping[str, Any], enabled: Sequence[str], site: Path, file: str, locate: Locate
) -> Iterator[FileError]:
    """Yield an error for settings of no plug-in, or a second table; that of one which is not enabled may stay."""
    names = [plain_name(name) for name in tables]
    for number, name in enumerate(tables):
        if names[number] in names[:number]:
            problem, remedy = "is a second table of the same plug-in", "write its settings in one table"
            yield FileError(file, f"{_TABLE}.{name}", problem, remedy, locate((_TABLE, name)))
        elif name not in enabled and names[number] not in (plugins := (_ENABLED, *plugin_names(site))):
            meant = nearest(name, (*plugins, *enabled))
            remedy = f'did you mean "{meant}"?' if meant else f"[{_TABLE}] has {_ENABLED}, and a table for each plug-in"
            yield FileError(file, f"{_TABLE}.{name}", "is no plug-in", remedy, locate((_TABLE, name)))


def _checked_options(
    opened: SitePlugins, tables: Mapping[str, Any], file: str, locate: Locate
) -> dict[str, Mapping[str, Any]]:
    """Return the settings of each plug-in with defaults; their table may write its name with a hyphen or without."""
    schemas = {plugin.name: schema for plugin, schema in opened.mappings(_SETTINGS)}
    options: dict[str, Mapping[str, Any]] = {}
    errors: list[FileError] = []
    names = {plain_name(name): name for name in tables}
    for plugin in opened.plugins:
        schema = {"type": "object", "properties": {}, "additionalProperties": False, **schemas.get(plugin.name, {})}
        name = names.get(plain_name(plugin.name), plugin.name)
        data = tables.get(name, {})
        try:
            errors += schema_errors({_TABLE: {name: data}}, _within(name, schema), file, locate)
        except ConfigurationError as error:
            raise ConfigurationError(f"The plug-in {plugin.name}: {_SETTINGS}: {error}") from error
        options[plugin.name] = with_defaults(data, schema)
    if errors:
        raise InvalidFiles(errors)
    return options


def _within(name: str, schema: Mapping[str, object]) -> Mapping[str, object]:
    """Return the schema of site.toml in as far as it concerns the settings of one plug-in, for the places of errors."""
    return {"properties": {_TABLE: {"properties": {name: schema}}}}
