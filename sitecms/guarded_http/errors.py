"""The errors of an exchange: a reason for the log, and a text for strangers, which discloses nothing."""

NO_ANSWER = "The remote host could not be reached."


class ExchangeFailed(Exception):
    """There is no whole answer, which may pass."""

    def __init__(self, reason: str, text: str = NO_ANSWER) -> None:
        """Keep the reason for the log."""
        super().__init__(text)
        self.reason = reason


class ExchangeRejected(ExchangeFailed):
    """There is no answer, now or later."""


class ExchangeRefused(ExchangeRejected):
    """The rules forbid the address; nothing was sent to it."""
