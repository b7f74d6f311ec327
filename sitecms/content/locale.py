"""The locales of a site, and the default one."""

from msgspec import Struct

from sitecms.errors import InvalidRequest

MAX_LOCALE_LENGTH = 10


class Locales(Struct, frozen=True):
    """The configured locales, the default among them."""

    codes: tuple[str, ...]
    default: str

    def choose(self, code: str | None) -> str:
        """Return the named locale, or the default for none. Raises InvalidRequest for an unknown one."""
        if not code:
            return self.default
        if code not in self.codes:
            known = ", ".join(self.codes)
            raise InvalidRequest(f"Invalid locale parameter: '{code[:40]}'. Configured locales: {known}.")
        return code
