"""Redirects of the site: the rules of redirects.yaml, and where an address leads and by which rule."""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

import msgspec
from flask import Response
from msgspec import Struct

from sitecms.actions.site_settings.site_file import Values, change_site_file, read_values
from sitecms.content.user import Action
from sitecms.errors import ConfigurationError, InvalidFields, InvalidFiles, InvalidRequest
from sitecms.messages import N_, text_of
from sitecms.settings.site import REDIRECTS_FILE
from sitecms.site.plan.destination import Destination, destination
from sitecms.site.plan.plan import Plan, make_plan
from sitecms.site.theme.theme import load_theme
from sitecms.store.site_state.settings_changes import ValueChange
from sitecms.studio.site_sections import SITE
from sitecms.studio.site_targets import all_targets
from sitecms.studio.texts import _
from sitecms.studio.views.site_settings import FILES, changed, frame
from sitecms.studio.visit import Route, Visit
from sitecms.web_address import split_address

REDIRECTS = f"{SITE}redirects/"
MOST_LISTED = 200
GONE = "410"
STATUSES = (
    ("301", N_("moved for good (301)")),
    ("302", N_("moved for now (302)")),
    ("308", N_("moved for good, forms too (308)")),
    (GONE, N_("removed, leads nowhere (410)")),
)
IS_THERE = N_("There is a rule for this address already. Remove it first.")


class ListedRule(Struct, frozen=True):
    """A rule of the list, the value of the file by which it is removed, and the problems of it."""

    address: str
    target: str
    status: str
    raw: str
    problems: Sequence[str]


def show_redirects(visit: Visit, errors: Mapping[str, Sequence[str]] | None = None) -> Response:
    """Show the rules, and where the address leads that is asked for."""
    problem, rules, plan = "", list[ListedRule](), None
    try:
        values = read_values(visit.studio.runtime.settings, FILES[REDIRECTS_FILE])
        plan = _plan(visit)
        rules = _listed(values, plan)
    except ConfigurationError as error:
        problem = text_of(error)
    asked = visit.query("address")
    result = _destination(plan, asked) if plan and asked else None
    _number, snapshot = visit.studio.published.now()
    settings = visit.studio.runtime.settings
    targets = islice(all_targets(snapshot, settings, settings.default_locale), MOST_LISTED)
    return visit.page(
        "site_redirects.html",
        status=400 if errors else 409 if problem else 200,
        rules=rules,
        problem=problem,
        errors=errors or {},
        typed={name: visit.field(name) for name in ("from", "to", "status")},
        statuses=[(value, _(label)) for value, label in STATUSES],
        asked=asked,
        result=result,
        targets=list(targets),
        **frame(visit),
    )


def change_redirects(visit: Visit) -> Response:
    """Add the rule of the form, or remove one, as the button says."""
    file, address = FILES[REDIRECTS_FILE], " ".join(visit.field("from").split())
    try:
        if visit.field("do") == "remove":
            change = ValueChange((address,), _raw(visit), None)
        else:
            if address in read_values(visit.studio.runtime.settings, file):
                raise InvalidFields({"from": [_(IS_THERE)]})
            change = ValueChange((address,), None, _typed(visit))
        change_id = change_site_file(visit.editing, file, [change])
    except InvalidFields as error:
        return show_redirects(visit, _by_field(error))
    except (InvalidRequest, InvalidFiles) as error:
        return show_redirects(visit, {"": [text_of(error)]})
    return changed(REDIRECTS, change_id)


def _plan(visit: Visit) -> Plan:
    """Return the plan of the published site with the rules as they are now. Raises ConfigurationError."""
    settings = visit.studio.runtime.settings
    _number, snapshot = visit.studio.published.now()
    return make_plan(snapshot, settings, load_theme(settings.folder, settings.theme))


def _listed(values: Values, plan: Plan) -> list[ListedRule]:
    problems: dict[str, list[str]] = {}
    for error in plan.rule_errors:
        remedy = f" ({error.remedy})" if error.remedy else ""
        problems.setdefault(error.place, []).append(f"It {error.problem}{remedy}.")
    listed = []
    for address, rule in values.items():
        status = GONE if rule.get("gone") else str(rule.get("status") or 301)
        raw = msgspec.json.encode(rule).decode()
        listed.append(ListedRule(address, rule.get("to") or "", status, raw, problems.get(address, ())))
    return listed


def _destination(plan: Plan, address: str) -> Destination | None:
    """Return where an address leads; None for one of another site."""
    parts = split_address(address)
    path = f"{parts.path}?{parts.query}" if parts.query else parts.path
    return destination(plan, path) if path.startswith("/") else None


def _raw(visit: Visit) -> Any:
    try:
        return msgspec.json.decode(visit.field("raw"))
    except msgspec.MsgspecError:
        raise InvalidRequest(_("The form did not arrive as a whole.")) from None


def _typed(visit: Visit) -> dict[str, Any]:
    """Return the rule that was typed, as the file has it."""
    status, target = visit.field("status"), visit.field("to").strip()
    if status == GONE:
        return {"to": target, "gone": True} if target else {"gone": True}
    rule: dict[str, Any] = {"to": target} if target else {}
    return rule | ({"status": int(status)} if status in ("302", "308") else {})


def _by_field(error: InvalidFields) -> dict[str, list[str]]:
    """Return errors by the fields of the form: those of a rule say themselves which of its values they mean."""
    found: dict[str, list[str]] = {}
    for name, messages in error.messages.items():
        for message in messages:
            is_target = message.startswith("It to ")
            text = message.replace("It to ", "It ", 1) if is_target else message
            found.setdefault("to" if is_target else "from" if name else "", []).append(text)
    return found


ROUTES = (
    Route("GET", REDIRECTS, show_redirects, Action.MANAGE_SITE),
    Route("POST", REDIRECTS, change_redirects, Action.MANAGE_SITE),
)
