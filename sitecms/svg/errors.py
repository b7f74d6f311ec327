"""The error of a drawing that is refused."""


class InvalidSvg(Exception):
    """The bytes are no drawing that may be published; the text gives the reason."""
