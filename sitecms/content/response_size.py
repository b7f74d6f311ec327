"""The limit of an answer's size (API reference, Limits), checked while the answer is put together."""

from sitecms.errors import InvalidRequest

MAX_RESPONSE_BYTES = 10 * 1024 * 1024
TOO_LARGE = "The response would be larger than 10 MB; ask for fewer items or fewer levels."


class SizeLimit:
    """Counter of the bytes that an answer will have at least, or that are read for it."""

    def __init__(self, max_bytes: int = MAX_RESPONSE_BYTES) -> None:
        """Begin at 0."""
        self._max_bytes = max_bytes
        self.spent = 0

    def spend(self, size_bytes: int) -> None:
        """Add to the count. Raises InvalidRequest beyond the limit."""
        self.spent += size_bytes
        if self.spent > self._max_bytes:
            raise InvalidRequest(TOO_LARGE)
