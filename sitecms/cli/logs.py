"""Log lines of long-running commands on stderr: JSON objects, or text for people if stderr is a terminal.

Lines of libraries have the same form. Tracebacks show code, never the values of variables. Text in the form of a token
or signing secret is hidden in the finished line.
"""

import logging
import re
import sys
from typing import Any

import orjson
import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from sitecms.settings.operations import LogSettings

HIDDEN = "[hidden]"
_TOKEN = re.compile(r"[0-9a-f]{40,}")
_NAMED_SECRET = re.compile(r"(?<=whsec_)[A-Za-z0-9+/_=-]+|(?:(?<=auth_token=)|(?<=/\?code=))[^&\s\"']+")
_TOKEN_LENGTH = 40
_SHARED_PROCESSORS: tuple[Processor, ...] = (
    structlog.contextvars.merge_contextvars,
    structlog.processors.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
)


class LineRenderer:
    """Last structlog processor: renders a line as text and hides secrets."""

    def __init__(self, *, as_json: bool) -> None:
        colors = not as_json and sys.stderr.isatty()
        plain = structlog.dev.plain_traceback
        console = structlog.dev.ConsoleRenderer(colors=colors, exception_formatter=plain)
        self._as_json = as_json
        self._render: Processor = structlog.processors.JSONRenderer(_json) if as_json else console

    def __call__(self, logger: WrappedLogger, name: str, event: EventDict) -> str:
        """Return the text of one line."""
        if self._as_json:
            event = structlog.processors.format_exc_info(logger, name, event)
        return hide_secrets(str(self._render(logger, name, event)))


def hide_secrets(text: str) -> str:
    """Replace tokens and signing secrets in a text. Longer runs of hexadecimal digits are digests and stay."""
    if "whsec_" in text or "auth_token=" in text or "/?code=" in text:
        text = _NAMED_SECRET.sub(HIDDEN, text)
    return _TOKEN.sub(lambda match: HIDDEN if len(match[0]) == _TOKEN_LENGTH else match[0], text)


def _json(event: EventDict, **_options: Any) -> str:
    return orjson.dumps(event, default=repr).decode()


def configure_logs(settings: LogSettings) -> None:
    """Configure structlog by the settings; libraries log warnings and errors."""
    as_json = settings.format == "json" or (settings.format == "auto" and not sys.stderr.isatty())
    structlog.configure(
        processors=[*_SHARED_PROCESSORS, LineRenderer(as_json=as_json)],
        wrapper_class=structlog.make_filtering_bound_logger(settings.level),
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_library_formatter(as_json=as_json))
    logging.basicConfig(level="ERROR" if settings.level == "error" else "WARNING", handlers=[handler], force=True)


def _library_formatter(*, as_json: bool) -> logging.Formatter:
    """Return a formatter that gives lines of the standard library's logging the same form."""
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[*_SHARED_PROCESSORS, structlog.stdlib.add_logger_name],
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, LineRenderer(as_json=as_json)],
    )
