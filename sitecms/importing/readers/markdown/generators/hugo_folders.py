"""Folders of a site of Hugo: those of its languages, of its content and of its static files."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from sitecms.importing.readers.markdown.document import as_text, listed, lowered, table_of


class HugoFolders:
    """The folders and languages of a configuration."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        self._config = config

    @cached_property
    def languages(self) -> dict[str, Mapping[str, Any]]:
        """The settings of each language, by its code."""
        return {code: lowered(table) for code, table in lowered(self._config.get("languages")).items()}

    @cached_property
    def default_code(self) -> str:
        """The code of the default language."""
        return as_text(self._config.get("defaultcontentlanguage")).lower() or "en"

    @cached_property
    def content(self) -> tuple[tuple[str, str], ...]:
        """The folders of content, each with the code of its language or "", longest first.

        Folders of languages and mounts take the place of the main one, which stays for languages without a folder.
        """
        main = as_text(self._config.get("contentdir")).strip("/") or "content"
        own = {code: as_text(table.get("contentdir")).strip("/") for code, table in self.languages.items()}
        mounts = dict(self._mounts())
        found = {} if mounts or (own and all(own.values())) else {f"{main}/": ""}
        found |= {f"{folder}/": code for code, folder in own.items() if folder} | mounts
        return tuple(sorted(found.items(), key=lambda each: -len(each[0])))

    def _mounts(self) -> Iterator[tuple[str, str]]:
        """Yield the folders of the site that are mounted as its content, each with the code of its language or ""."""
        for mount in self._mount_tables():
            matrix = table_of(table_of(mount.get("sites")).get("matrix")).get("languages")
            languages = [mount.get("lang")] if mount.get("lang") else matrix if isinstance(matrix, list) else []
            if as_text(mount.get("target")).strip("/") == "content":
                code = as_text(languages[0]).lower() if len(languages) == 1 else ""
                yield as_text(mount.get("source")).removeprefix("./").strip("/") + "/", code

    def _mount_tables(self) -> list[dict[str, Any]]:
        mounts = table_of(self._config.get("module")).get("mounts")
        return [lowered(mount) for mount in (mounts if isinstance(mounts, list) else ()) if table_of(mount)]

    def _mounted(self) -> Iterator[tuple[str, str]]:
        """Yield source and target of each mount, with a slash at the end."""
        for mount in self._mount_tables():
            source, target = (as_text(mount.get(name)).removeprefix("./").strip("/") for name in ("source", "target"))
            yield f"{source}/", f"{target}/"

    def split(self, full: str) -> tuple[str, str]:
        """Return the path below content without language and extension, and the code of the language."""
        folder, code = next(each for each in self.content if full.startswith(each[0]))
        path = full[len(folder) :].rpartition(".")[0]
        head, _, last = path.rpartition("/")
        stem, dot, ending = last.rpartition(".")
        if dot and ending.lower() in (*self.languages, self.default_code):
            return f"{head}/{stem}".strip("/"), ending.lower()
        return path, code

    def static(self) -> Iterator[tuple[str, str]]:
        """Yield each folder that is copied as it is, and that on the site, both "" or with a slash at the end.

        Mounts take the place of the default folder. Folders of languages are copied to the root, too.
        """
        beginning = "static/"
        mounted = [(folder, target) for folder, target in self._mounted() if target.startswith(beginning)]
        yield from ((folder, target.removeprefix(beginning)) for folder, target in mounted)
        tables = (self._config, *self.languages.values())
        names = ("staticdir", *(f"staticdir{number}" for number in range(11)))
        written = [value for table in tables for name in names if (value := table.get(name))]
        folders = [as_text(each) for value in written for each in listed(value)]
        for folder in dict.fromkeys(folders or ([] if mounted else ["static"])):
            yield folder.removeprefix("./").strip("/") + "/", ""

    def root(self, code: str) -> str:
        """Return the root of the addresses of a language; "" is the default one."""
        in_folder = as_text(self._config.get("defaultcontentlanguageinsubdir")).lower() == "true"
        is_default = not code or code == self.default_code
        has_code = (not is_default) or (in_folder and len(self.languages) > 0)
        return f"/{code or self.default_code}/" if has_code else "/"

    def roots(self) -> tuple[str, ...]:
        """Return the root of each language."""
        return tuple(dict.fromkeys(map(self.root, ("", *self.languages))))
