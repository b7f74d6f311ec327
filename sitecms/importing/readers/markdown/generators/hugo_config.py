"""Configuration of Hugo: one file, or those of a folder, also by language."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sitecms.importing.readers.markdown.document import lowered, table_of

SUFFIXES = (".toml", ".yaml", ".yml", ".json")
_NAMES = ("hugo", "config")
_FOLDER = "config/_default/"


def read_hugo_config(paths: Iterable[str], load: Callable[..., Mapping[str, Any]]) -> dict[str, Any]:
    """Return the configuration among the paths of a site, its keys in lower case; `load` reads the first of some."""
    files = [f"{name}{suffix}" for name in _NAMES for suffix in SUFFIXES]
    config = lowered(load(*files))
    config |= lowered(load(*(_FOLDER + name for name in files)))
    for path in paths:
        if not (path.startswith(_FOLDER) and path.endswith(SUFFIXES)):
            continue
        name, _, language = path[len(_FOLDER) :].rpartition(".")[0].lower().partition(".")
        if name == "languages" and language:
            config[name] = {**table_of(config.get(name)), language: lowered(load(path))}
        elif name in ("menu", "menus") and language:
            languages = table_of(config.get("languages"))
            config["languages"] = {**languages, language: {**table_of(languages.get(language)), "menus": load(path)}}
        elif name not in _NAMES and not language:
            config[name] = {**table_of(config.get(name)), **lowered(load(path))}
    return config
