"""Commands of `sitecms`, run in the process of a test."""

from click.testing import CliRunner, Result

from sitecms.cli.main import cli


def run(*words: object, typed: str = "") -> Result:
    """Run `sitecms` with these words, and this on stdin."""
    return CliRunner().invoke(cli, [str(word) for word in words], input=typed, catch_exceptions=False)
