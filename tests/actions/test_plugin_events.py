"""What plug-ins hear of loads, changes and builds, and what they add to messages."""

import json
import re

import pytest
from click.testing import CliRunner

from sitecms.actions.plugin_events import tell_plugins, with_payload
from sitecms.actions.writing.entry_events import EventCause
from sitecms.actions.writing.trash import delete_with_event
from sitecms.cli.main import cli
from sitecms.content.kinds import EntryKind
from sitecms.content.webhooks.event import Event, EventKind
from sitecms.content.webhooks.webhook import message_body
from sitecms.store.entries.versions import VERSIONS
from tests.support.sites import ExampleSite

LISTENER = """
from pathlib import Path
from sitecms.plugins.hooks import hookimpl

def note(site, *words):
    with (site.folder / "heard.txt").open("a") as file:
        print(*words, file=file)

@hookimpl
def site_loaded(site, result):
    note(site, "loaded", len(result.loaded), result.errors)

@hookimpl
def entry_saved(site, change):
    note(site, change.event, change.kind, change.slug, change.locale, change.id > 0)

@hookimpl
def entry_published(site, change):
    note(site, "published", change.slug)

@hookimpl
def before_build(site):
    (site.folder / "data").mkdir(exist_ok=True)
    (site.folder / "data/edition.yaml").write_text("number: 7")

@hookimpl
def after_build(site, result):
    note(site, "built", result.output.name, result.failed)
"""

COMMAND = """
import click
from sitecms.cli.site_argument import site_argument
from sitecms.plugins.hooks import hookimpl

@click.command()
@site_argument
@click.option("--loud", is_flag=True)
def greet(settings, loud):
    "Say hello."
    click.echo(f"Hello {settings.name}" if not loud else 1 / 0)

@hookimpl
def commands():
    return {"greet": greet}
"""


def use(example: ExampleSite, text: str, *, name: str = "ears") -> None:
    example.write(f"plugins/{name}.py", text)
    example.settings_are(plugins={"enabled": [name]})


def heard(example: ExampleSite) -> list[str]:
    """The lines that the plug-in has written since the last call."""
    file = example.folder / "heard.txt"
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    file.unlink(missing_ok=True)
    return lines


def run(example: ExampleSite, *arguments: str) -> str:
    result = CliRunner().invoke(cli, [arguments[0], str(example.folder), *arguments[1:]])
    assert result.exit_code == 0, result.output
    return result.output


def test_loads_builds_and_entries_are_heard_of(example: ExampleSite) -> None:
    """A build tells of the load, of each entry it changed and of itself; the next one of itself alone."""
    use(example, LISTENER)
    run(example, "build")
    lines = heard(example)
    loaded = next(number for number, line in enumerate(lines) if line.startswith("loaded"))
    assert "post.published post calm en True" in lines[:loaded]
    assert "post.localization.published post marea-baja es True" in lines[:loaded]
    assert "post.draft post secret en True" in lines
    assert "page.published page about en True" in lines
    assert "collectionitem.published item menu es True" in lines
    assert "published calm" in lines
    assert "published secret" not in lines
    assert lines[-1] == "built public 0"
    run(example, "build")
    assert heard(example) == ["built public 0"]


def test_before_build_may_write_data(example: ExampleSite) -> None:
    """What a plug-in writes before a build is on the pages of that build."""
    use(example, LISTENER)
    example.write("templates/404.html", "{{ site.data.edition.number }}")
    run(example, "build")
    assert example.text("404.html") == "7"


def test_check_and_a_dry_run_are_no_events(example: ExampleSite) -> None:
    """What happens to a copy of the site is not heard of."""
    use(example, LISTENER)
    CliRunner().invoke(cli, ["check", str(example.folder)])
    assert heard(example) == []


def test_change_that_is_undone_is_not_heard_of(example: ExampleSite) -> None:
    """Events are told after the commit; those of a transaction or a part of it that is undone are not."""
    use(example, LISTENER)
    example.load()
    settings = example.settings
    tell_plugins(example.database, settings, print)
    first, second = example.database.read(VERSIONS[EntryKind.POST].published)[:2]
    heard(example)
    cause = EventCause("en", example.now)
    with example.database.writing() as transaction:
        try:
            with transaction.savepoint():
                delete_with_event(transaction, EntryKind.POST, first.id, cause)
                raise LookupError
        except LookupError:
            pass
        delete_with_event(transaction, EntryKind.POST, second.id, cause)
        assert heard(example) == []
    assert heard(example) == [f"post.delete post {second.slug} {second.locale} True"]


def test_error_of_a_listener_costs_nothing_else(example: ExampleSite) -> None:
    """Errors are told on stderr, with plug-in, hook and entry; everything is loaded and built."""
    fails = LISTENER.replace('note(site, "published"', 'note(site, 1 / 0, "published"')
    fails = fails.replace('note(site, "built"', 'note(site, "built", 1 / 0')
    use(example, fails)
    output = run(example, "build")
    assert "post.published of post calm: the plug-in ears failed (entry_published, plugins/ears.py:19)" in output
    assert "the plug-in ears failed (after_build, plugins/ears.py:28): ZeroDivisionError: division by zero" in output
    assert "post.published post calm en True" in heard(example)
    assert (example.public / "blog/calm/index.html").exists()


def test_payload_of_webhooks(example: ExampleSite) -> None:
    """Plug-ins add keys to the data of a message; those that the API declares stay, and an error adds nothing."""
    text = "from sitecms.plugins.hooks import hookimpl\n@hookimpl\ndef webhook_payload(site, event, data):\n    return "
    body = message_body(Event(EventKind.POST_PUBLISHED, {"id": "ebb", "_id": 3}), "https://hook.example")
    problems: list[str] = []
    use(example, text + "{'site': site.name, 'event': event, 'id': 'x', 'of': data['_id']}")
    sent = with_payload(body, example.settings.plugins, problems.append)
    assert json.loads(json.dumps(sent)) == {
        "data": {"id": "ebb", "_id": 3, "site": "Tide", "event": "post.published", "of": 3},
        "webhook": {"event": "post.published", "target": "https://hook.example"},
    }
    use(example, text + "{'x': data['none']}")
    assert with_payload(body, example.settings.plugins, problems.append) == body
    assert problems == ["the plug-in ears failed (webhook_payload, plugins/ears.py:4): KeyError: 'none'"]


def test_command_of_a_plugin(example: ExampleSite, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command of a plug-in runs with its site; its errors name the plug-in, and `--help` of the folder lists it."""
    use(example, COMMAND, name="greeting")
    assert run(example, "greet") == "Hello Tide\n"
    monkeypatch.chdir(example.folder)
    assert re.search(r"Commands of plug-ins:\n +greet +Say hello", CliRunner().invoke(cli, ["--help"]).output)
    failed = CliRunner().invoke(cli, ["greet", str(example.folder), "--loud"])
    assert failed.exit_code == 1
    assert "Error: the plug-in greeting failed (command greet, plugins/greeting.py:" in failed.output
    refused = CliRunner().invoke(cli, ["greet", str(example.folder), "--no-plugins"])
    assert "No such command 'greet'" in refused.output
    example.settings_are(plugins={"enabled": ["nowhere"]})
    unopened = CliRunner().invoke(cli, ["greet", str(example.folder)])
    assert unopened.exit_code == 2
    assert "Plug-ins cannot be asked: site.toml:" in unopened.output
