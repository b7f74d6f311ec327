"""Undo of a change of settings, of redirects or of the menu, unless it was changed again since."""

from collections.abc import Mapping

from sitecms.actions.editing.bulk import Settle
from sitecms.actions.editing.edited import EditContext
from sitecms.actions.site_settings.menu import MENU, undo_menu
from sitecms.actions.site_settings.site_file import SiteFile, change_site_file
from sitecms.errors import Conflict, InvalidFields, Stale
from sitecms.messages import N_, Text, text_of
from sitecms.store.site_state.settings_changes import get_settings_change

IS_UNDONE = N_("It was undone already.")
CANNOT_UNDO = N_("It was changed again since, so it cannot be undone. %(problem)s")


def undo(context: EditContext, change_id: int, files: Mapping[str, SiteFile], settle: Settle) -> int:
    """Take a change back, and return the id of the change that does so.

    Raises Conflict if values were changed again, and as `change_site_file`.
    """
    change = context.writes.database.read(get_settings_change, change_id)
    if change.is_undone:
        raise Conflict("", IS_UNDONE)
    try:
        if change.file == MENU:
            return undo_menu(context, change, settle)
        reverse = [each.reverse for each in reversed(change.values)]
        return change_site_file(context, files[change.file], reverse, change)
    except Stale as error:
        raise Conflict("", Text(CANNOT_UNDO, problem=text_of(error))) from None
    except InvalidFields as error:
        problem = " ".join(message for messages in error.messages.values() for message in messages)
        raise Conflict("", Text(CANNOT_UNDO, problem=problem)) from None
