"""`sitecms deploy`: files are printed or written, filled in from the site; the guide's commands are real ones."""

import json
import re
import shlex
import sys
from pathlib import Path

import click
import pytest
import yaml

from sitecms.cli.commands.deploy import guide
from sitecms.cli.main import cli
from tests.cli.conftest import Run


def settings_are(demo: Path, *lines: str) -> None:
    """Write site.toml."""
    (demo / "site.toml").write_text('name = "Tide"\n' + "\n".join(lines) + "\n", encoding="utf-8")


def test_one_file_is_printed_as_it_is(run: Run, demo: Path) -> None:
    """So that it can be sent into a file; what is still to be set goes to stderr."""
    settings_are(demo, 'url = "https://tide.example"')
    result = run("deploy", "nginx", demo, "--upstream", "10.0.0.2:8000", "--upstream", "10.0.0.3:8000")
    assert result.returncode == 0
    assert result.stdout.startswith("# nginx for Tide: ")
    assert "server_name tide.example;" in result.stdout
    assert re.findall(r"server (10\S+);", result.stdout) == ["10.0.0.2:8000", "10.0.0.3:8000"]
    assert "trusted_proxies = 1" in result.stderr
    assert 'url = "https://tide.example"' in result.stderr
    settings_are(demo, "[serve]", 'url = "https://api.example"', "trusted_proxies = 1")
    quiet = run("deploy", "nginx", demo)
    assert (quiet.returncode, quiet.stderr) == (0, "")


def test_files_are_written_once(run: Run, demo: Path, tmp_path: Path) -> None:
    """Into a folder that is made; what is there already is replaced with --force only."""
    output = tmp_path / "units"
    printed = run("deploy", "systemd", demo)
    written = run("deploy", "systemd", demo, "--output", output)
    assert written.stderr.count("Wrote ") == len(list(output.iterdir())) == 6
    for path in output.iterdir():
        assert f"##### {path.name}\n{path.read_text('utf-8')}" in printed.stdout
        path.write_text("mine", encoding="utf-8")
    again = run("deploy", "systemd", demo, "--output", output)
    assert again.returncode == 2
    assert "--force replaces. Nothing was written." in again.stderr
    assert {path.read_text("utf-8") for path in output.iterdir()} == {"mine"}
    assert run("deploy", "systemd", demo, "--output", output, "--force").returncode == 0


def test_units_are_filled_in(run: Run, demo: Path) -> None:
    """They have this program, the parent folder of the site, the user, and an output folder outside the site."""
    settings_are(demo, "[build]", 'output = "../www/tide"')
    printed = run("deploy", "systemd", demo, "--user", "web", "--backups", "/mnt/backups").stdout
    program = Path(sys.executable).with_name("sitecms")
    assert f"ExecStart={program} serve {demo.parent}/%i --no-worker $SERVE_OPTIONS" in printed
    assert f"ExecStart={program} worker {demo.parent}/%i\n" in printed
    assert f"ReadWritePaths={demo.parent}/%i {demo.parent}/www\n" in printed
    assert "ReadWritePaths=/mnt/backups\n" in printed
    assert "User=web\n" in printed
    assert "ProtectHome=yes" in printed
    assert "ProtectHome=read-only" in run("deploy", "systemd", demo, "--program", "/home/ann/sitecms").stdout


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--listen", "80; evil"), '"80; evil" is not valid'),
        (("--upstream", "http://x:80"), "expected one such as 10.0.0.2:8000"),
        (("--allow", "all"), '"all" is not valid'),
        (("--inner", "no port"), '"no port" is not valid'),
    ],
)
def test_what_would_break_nginx_is_refused(run: Run, demo: Path, words: tuple[str, str], told: str) -> None:
    """Options by what they should look like."""
    result = run("deploy", "nginx", demo, *words)
    assert (result.returncode, result.stdout) == (2, "")
    assert told in re.sub(r"\s+", " ", result.stderr)


def test_paths_with_special_characters_are_refused(run: Run, tmp_path: Path) -> None:
    """The error names the path and the remedy; nothing is printed."""
    odd = tmp_path / "my site"
    assert run("init", odd).returncode == 0
    for kind in ("nginx", "systemd", "container"):
        result = run("deploy", kind, odd)
        assert (result.returncode, result.stdout) == (3, ""), kind
        assert f"{odd}" in result.stderr
        assert "Move it to a path of letters" in result.stderr


@pytest.mark.parametrize("url", ["https://tide.example/api", "https://tide.example;evil"])
def test_an_api_address_that_nginx_cannot_serve_is_refused(run: Run, demo: Path, url: str) -> None:
    """A path below the host, or a host that is none."""
    settings_are(demo, "[serve]", f'url = "{url}"')
    result = run("deploy", "nginx", demo)
    assert (result.returncode, result.stdout) == (3, "")
    assert url in result.stderr


def test_the_compose_file_is_whole(run: Run, demo: Path, tmp_path: Path) -> None:
    """YAML, with an API and a worker of one image, and servers that the addresses in it name."""
    run("deploy", "container", demo, "--output", tmp_path / "image")
    services = yaml.safe_load((tmp_path / "image/compose.yaml").read_text("utf-8"))["services"]
    assert services.keys() == {"api", "worker", "postgres", "redis"}
    api, worker = services["api"], services["worker"]
    assert (api["image"], api["environment"], api["volumes"]) == (
        worker["image"], worker["environment"], worker["volumes"]
    )  # fmt: skip
    assert "@postgres/" in api["environment"]["SITECMS_STORE_URL"]
    assert api["environment"]["SITECMS_QUEUE_URL"] == "redis://redis:6379/0"
    for service in (api, worker):
        assert_command([*service["command"]])


def test_an_image_has_git_where_the_site_commits(run: Run, demo: Path) -> None:
    """And a client of SSH, by which most remotes are reached."""
    assert "git" not in run("deploy", "container", demo).stdout.split()
    settings_are(demo, "[files]", 'git = "push"')
    assert {"git", "openssh-client"} <= {*run("deploy", "container", demo).stdout.split()}


COMMAND_BLOCK = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)


def commands_of(text: str) -> list[str]:
    """The lines that a reader types, in the blocks of a Markdown text."""
    blocks = COMMAND_BLOCK.findall(text)
    lines = re.sub(r"\\\n\s*", "", "\n".join(blocks)).splitlines()
    return [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]


def assert_command(words: list[str]) -> None:
    """That click takes the words after `sitecms`: a command that there is, with its options and arguments."""
    context = click.Context(cli)
    command = cli.get_command(context, words[0])
    assert command is not None, words
    rest = words[1:]
    while isinstance(command, click.Group):
        found = command.get_command(context, rest[0])
        assert found is not None, words
        command, rest = found, rest[1:]
    parser = command.make_parser(click.Context(command))
    options, _, _ = parser.parse_args(args=list(rest))
    known = {parameter.name for parameter in command.params}
    assert options.keys() <= known, words


def sitecms_commands(lines: list[str]) -> list[list[str]]:
    """The words after `sitecms` of each such command, also where it is named by its path."""
    texts = [text for line in lines for text in re.findall(r"(?:^|&& |/bin/)sitecms ([^|;)&>]*)", line)]
    return [shlex.split(text) for text in texts if not text.startswith('"$@"')]


def test_every_command_of_the_guide_is_one() -> None:
    """Each `sitecms` line is taken by the command it names: subcommands, options, their values and arguments."""
    lines = commands_of(guide())
    commands = sitecms_commands(lines)
    assert len(commands) > 15
    for words in commands:
        assert_command(words)


@pytest.mark.slow
def test_the_guide_can_be_followed(run: Run, tmp_path: Path) -> None:
    """Its commands from the laptop over one server to the drills, one after another, in other folders."""
    places = {
        "/srv/sitecms/": f"{tmp_path}/", "/var/backups/sitecms/": f"{tmp_path}/", "-DATE.": "-before.",
        "/etc/systemd/system": f"{tmp_path}/units", "/etc/nginx/conf.d": f"{tmp_path}/nginx",
    }  # fmt: skip
    text = guide()
    for name, place in places.items():
        assert name in text
        text = text.replace(name, place)
    commands = sitecms_commands(commands_of(text))
    possible = [words for words in commands if words[0] != "preview"]
    drills = [words for words in possible if words[-1].endswith("drill")]
    assert [words[0] for words in drills] == ["restore", "verify", "build"]
    for words in [each for each in possible if each not in drills] + drills:
        result = run(*words)
        assert result.returncode == 0, (words, result.stdout, result.stderr)
    assert (tmp_path / "drill/public/index.html").is_file()
    assert (tmp_path / "nginx/sitecms_tide.conf").is_file()


def test_the_guide_fits_a_page_and_names_real_settings(run: Run, repo: Path) -> None:
    """At most 150 lines; each key of site.toml in it is declared; units and variables are those that are made."""
    text = run("deploy", "guide").stdout
    assert text == guide()
    assert len(text.splitlines()) <= 150
    schema = json.loads((repo / "content_schema/site.schema.json").read_text("utf-8"))["properties"]
    found = 0
    for block in re.findall(r"^```toml\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        table = ""
        for line in block.splitlines():
            if line.startswith("["):
                table = line.strip("[]")
            elif "=" in line:
                key = line.split("=")[0].strip()
                assert key in (schema[table]["properties"] if table else schema), line
                found += 1
    assert found
    units = run("deploy", "systemd", repo / "sample_site", "--program", "/usr/bin/sitecms").stdout
    for unit in re.findall(r"sitecms-(\w+)@", text):
        assert f"##### sitecms-{unit}@" in units, unit
