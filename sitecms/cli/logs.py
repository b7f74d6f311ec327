"""Log lines of long-running commands: on stderr, JSON, or for people where stderr is a terminal.

Tracebacks show code, never the values of variables: a token may be among them.
"""

import logging
import sys

import structlog


def configure_logs() -> None:
    """Set structlog up, and the loggers of libraries from warnings on."""
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(levelname)s %(name)s %(message)s")
    processors: list[structlog.typing.Processor] = [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    if sys.stderr.isatty():
        processors.append(structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback))
    else:
        processors += [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
    structlog.configure(processors=processors, logger_factory=structlog.PrintLoggerFactory(sys.stderr))
