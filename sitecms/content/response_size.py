"""How large an answer may become (specification, Limits), told before it has been put together."""

from sitecms.errors import InvalidRequest

MAX_RESPONSE_BYTES = 10 * 1024 * 1024
TOO_LARGE = "The response would be larger than 10 MB; ask for fewer items or fewer levels."


class SizeLimit:
    """Counts bytes that an answer will have at least, or that are read for it; stops at the limit."""

    def __init__(self, max_bytes: int = MAX_RESPONSE_BYTES) -> None:
        self._max_bytes = max_bytes
        self.spent = 0

    def spend(self, size_bytes: int) -> None:
        """Count these too. Raises InvalidRequest beyond the limit."""
        self.spent += size_bytes
        if self.spent > self._max_bytes:
            raise InvalidRequest(TOO_LARGE)
