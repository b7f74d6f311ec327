"""Group of commands that suggests the nearest name for a misspelt one."""

import click


class SuggestingGroup(click.Group):
    """Group whose error for an unknown command names the nearest known command."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the first argument names. Raises UsageError with a suggestion."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from difflib import get_close_matches

            suggestions = get_close_matches(args[0], self.list_commands(ctx), n=1)
            if not suggestions:
                raise
            raise click.UsageError(f'{error.message} Did you mean "{suggestions[0]}"?', ctx) from error
