"""The chapter about commands, made from their declarations in Click."""

import inspect
import re
from collections.abc import Iterator

import click

from sitecms.cli.main import cli
from sitecms.cli.reference.markdown import Chapter, code, fence, lines, table
from sitecms.cli.report import ExitCode

EXIT_CODES = {
    ExitCode.DONE: "Done.",
    ExitCode.FAILED: "Finished, but a file, a page or a check has failed.",
    ExitCode.USAGE: "The command was written wrongly, or names something that does not exist.",
    ExitCode.CONFIGURATION: "The site cannot be opened: an error in site.toml, no store, no connection.",
}


def chapters() -> Iterator[Chapter]:
    """Yield the chapter."""
    body = lines(
        "Every command describes itself with `--help`. `SITE` is a folder with a `site.toml`; without it, the command "
        "works on the current folder.",
        "## Exit codes",
        table(("Code", "Meaning"), ((code(str(each.value)), EXIT_CODES[each]) for each in ExitCode)),
        *(_section(name, command, parent) for name, command, parent in commands()),
    )
    yield Chapter("commands", "Commands", "Every command with its options and an example.", body)


def commands() -> Iterator[tuple[str, click.Command, click.Context]]:
    """Yield each command with its full name, such as `sitecms token create`, and the context of its group."""
    yield from _below(cli, click.Context(cli, info_name="sitecms"))


def _below(group: click.Group, context: click.Context) -> Iterator[tuple[str, click.Command, click.Context]]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if command is None or command.hidden:
            continue
        yield f"{context.command_path} {name}", command, context
        if isinstance(command, click.Group):
            yield from _below(command, click.Context(command, context, info_name=name))


def _section(name: str, command: click.Command, parent: click.Context) -> str:
    context = click.Context(command, parent, info_name=command.name)
    usage = " ".join([name, *command.collect_usage_pieces(context)])
    level = "##" if parent.parent is None else "###"
    return lines(
        f"{level} {code(name)}",
        described(command),
        fence(usage, "text") if not isinstance(command, click.Group) else "",
        table(("Option", "Meaning"), options(command)),
        *([] if isinstance(command, click.Group) else _examples(command)),
    )


def described(command: click.Command) -> str:
    """Return the help text of a command as Markdown."""
    return _with_code(inspect.cleandoc(command.help or "").replace("\b", ""))


def _with_code(text: str) -> str:
    """Return the text with options as code."""
    return re.sub(r"(?<![\w`])(--[a-z][a-z-]*)", r"`\1`", text)


def options(command: click.Command) -> Iterator[tuple[str, str]]:
    """Yield the name and the meaning of each option, but for --help."""
    for each in command.params:
        if not isinstance(each, click.Option) or each.hidden:
            continue
        value = (
            "" if each.is_flag else f" {each.make_metavar(click.Context(command)).replace('INTEGER RANGE', 'NUMBER')}"
        )
        default = f" Default: {_default(each.default)}." if each.show_default and each.default is not None else ""
        required = " Required." if each.required else ""
        yield code(f"{', '.join(each.opts)}{value}"), f"{_with_code(each.help or '')}{default}{required}"


def _default(value: object) -> str:
    return ", ".join(code(str(part)) for part in (value if isinstance(value, tuple) else (value,)))


def _examples(command: click.Command) -> Iterator[str]:
    """Yield the examples of the epilog: sentences as they are, commands in blocks."""
    for part in inspect.cleandoc(command.epilog or "").replace("\b", "").split("\n\n"):
        for words, block in re.findall(r"((?:^(?! ).*\n?)+)((?:^ +.*\n?)*)", part.strip("\n"), re.MULTILINE):
            yield "Example:" if words.strip() == "Example:" else words.strip()
            if block.strip():
                yield fence(inspect.cleandoc(block), "text")
