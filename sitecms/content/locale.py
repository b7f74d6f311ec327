"""Locales: which there are, and which one is the default."""

from dataclasses import dataclass

from sitecms.errors import InvalidRequest

MAX_LOCALE_LENGTH = 10


@dataclass(frozen=True, slots=True)
class Locales:
    """The configured locales, the default among them."""

    codes: tuple[str, ...]
    default: str

    def choose(self, code: str | None) -> str:
        """The locale a request means: the named one, or the default. Raises InvalidRequest for an unknown one."""
        if not code:
            return self.default
        if code not in self.codes:
            known = ", ".join(self.codes)
            raise InvalidRequest(f"Invalid locale parameter: '{code[:40]}'. Configured locales: {known}.")
        return code
