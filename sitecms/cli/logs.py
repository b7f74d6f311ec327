"""Log lines of long-running commands: on stderr, a JSON object each, or for people where stderr is a terminal.

Libraries' own lines take the same form. Tracebacks show code, never the values of variables, and whatever has the form
of a token or a signing secret is made unreadable in the finished line.
"""

import logging
import re
import sys
from collections.abc import Mapping
from typing import Any

import orjson
import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from sitecms.settings.operations import LogSettings

HIDDEN = "[hidden]"
_TOKEN = re.compile(r"[0-9a-f]{40,}")
_NAMED = re.compile(r"(?<=whsec_)[A-Za-z0-9+/_=-]+|(?<=auth_token=)[^&\s\"']+")
_TOKEN_LENGTH = 40
_BEFORE: tuple[Processor, ...] = (
    structlog.contextvars.merge_contextvars,
    structlog.processors.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
)


class Line:
    """The last step of a line: its text, with secrets hidden."""

    def __init__(self, *, as_json: bool) -> None:
        colors = not as_json and sys.stderr.isatty()
        plain = structlog.dev.plain_traceback
        console = structlog.dev.ConsoleRenderer(colors=colors, exception_formatter=plain)
        self._as_json = as_json
        self._render: Processor = structlog.processors.JSONRenderer(_json) if as_json else console

    def __call__(self, logger: WrappedLogger, name: str, event: EventDict) -> str:
        """The text."""
        if self._as_json:
            event = structlog.processors.format_exc_info(logger, name, event)
        return hide_secrets(str(self._render(logger, name, event)))


def hide_secrets(text: str) -> str:
    """The text without what has the form of a token or signing secret; longer runs of hex digits are digests."""
    if "whsec_" in text or "auth_token=" in text:
        text = _NAMED.sub(HIDDEN, text)
    return _TOKEN.sub(lambda found: HIDDEN if len(found[0]) == _TOKEN_LENGTH else found[0], text)


def _json(event: EventDict, **_options: Any) -> str:
    return orjson.dumps(event, default=repr).decode()


def configure_logs(settings: LogSettings) -> None:
    """Set structlog up as the settings have it, and the loggers of libraries from warnings on."""
    as_json = _is_json(settings)
    structlog.configure(
        processors=[*_BEFORE, Line(as_json=as_json)],
        wrapper_class=structlog.make_filtering_bound_logger(settings.level),
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(library_formatter(as_json=as_json))
    logging.basicConfig(level="ERROR" if settings.level == "error" else "WARNING", handlers=[handler], force=True)


def library_formatter(*, as_json: bool) -> logging.Formatter:
    """What gives lines of Python's own logging the same form."""
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[*_BEFORE, structlog.stdlib.add_logger_name],
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, Line(as_json=as_json)],
    )


def granian_logs(settings: LogSettings) -> Mapping[str, Any]:
    """How granian is to log, in each of its processes."""
    ours = {"()": "sitecms.cli.logs.library_formatter", "as_json": _is_json(settings)}
    to_stderr = {"class": "logging.StreamHandler", "formatter": "generic", "stream": "ext://sys.stderr"}
    return {
        "formatters": {"generic": ours, "access": ours},
        "handlers": {"console": to_stderr, "access": to_stderr},
    }


def _is_json(settings: LogSettings) -> bool:
    return settings.format == "json" or (settings.format == "auto" and not sys.stderr.isatty())
