"""Group of commands that suggests a name for a misspelt one."""

from difflib import get_close_matches

import click


class SuggestingGroup(click.Group):
    """Group whose error for an unknown command names the nearest one that there is."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the first argument names. Raises UsageError with a suggestion."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            near = get_close_matches(args[0], self.list_commands(ctx), n=1)
            if not near:
                raise
            raise click.UsageError(f'{error.message} Did you mean "{near[0]}"?', ctx) from error
