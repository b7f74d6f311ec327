"""Files with HTTP headers for web servers: one policy in two formats, with the owner's additions."""

import re
from pathlib import Path

import pytest

from sitecms.content.text.html import sanitize
from sitecms.errors import InvalidFiles
from sitecms.settings.site import SiteSettings, load_settings
from sitecms.site.plan.header_files import plan_headers, security_policy


def settings_of(folder: Path, text: str = "", url: str = "https://tide.example") -> SiteSettings:
    (folder / "site.toml").write_text(f'name = "Tide"\nurl = "{url}"\n{text}', encoding="utf-8")
    return load_settings(folder)


def directives(policy: str) -> dict[str, list[str]]:
    return {words[0]: words[1:] for words in (part.split() for part in policy.split("; "))}


def test_the_policy_forbids_inline_scripts(tmp_path: Path) -> None:
    """Scripts and styles come from the site; WebAssembly is allowed only with search."""
    settings = settings_of(tmp_path)
    plain, searchable = (directives(security_policy(settings, searchable=on)) for on in (False, True))
    assert "unsafe-inline" not in str(plain)
    assert (plain["script-src"], plain["style-src"]) == (["'self'"], ["'self'"])
    assert searchable == {**plain, "script-src": ["'self'", "'wasm-unsafe-eval'"]}
    assert plain["object-src"] == ["'none'"]


@pytest.mark.parametrize(
    "address",
    [
        "https://www.youtube-nocookie.com/embed/x",
        "https://player.vimeo.com/video/1",
        "https://www.openstreetmap.org/export/embed.html?bbox=1",
        "https://www.google.com/maps/embed?pb=1",
        "https://www.google.com/maps/embed/v1/place?q=x",
    ],
)
def test_every_frame_that_a_body_may_have_is_allowed(tmp_path: Path, address: str) -> None:
    """The longest matching source decides: a host, or an address up to its query."""
    assert address.split("?")[0] in sanitize(f'<iframe src="{address}"></iframe>')
    sources = directives(security_policy(settings_of(tmp_path), searchable=False))["frame-src"]
    path = address.split("?")[0]
    hosts = [source for source in sources if source.count("/") == 2]
    assert any(path.startswith(f"{host}/") for host in hosts) or any(
        path == source or (source.endswith("/") and path.startswith(source)) for source in sources
    )


def test_owners_add_sources(tmp_path: Path) -> None:
    """They add to a directive of the policy, or to one that falls back on default-src."""
    text = '[delivery.csp]\nscript-src = ["https://stats.example"]\nworker-src = ["blob:"]\n'
    found = directives(security_policy(settings_of(tmp_path, text), searchable=False))
    assert found["script-src"] == ["'self'", "https://stats.example"]
    assert found["worker-src"] == ["'self'", "blob:"]


@pytest.mark.parametrize("source", ["a; script-src *", 'x"', "a b", "$host", "a,b"])
def test_a_source_with_separators_is_refused(tmp_path: Path, source: str) -> None:
    """A source cannot end the directive, the header or nginx's text."""
    with pytest.raises(InvalidFiles, match=r"site\.toml.* delivery\.csp"):
        settings_of(tmp_path, f"[delivery.csp]\nimg-src = ['{source}']\n")


def test_both_formats_have_equal_headers(tmp_path: Path) -> None:
    """They have the policy, nosniff, the referrer policy, and cache times for files with digests in their names."""
    jobs = {job.path: job.read().decode() for job in plan_headers(settings_of(tmp_path), (), searchable=True)}
    policy = security_policy(settings_of(tmp_path), searchable=True)
    assert jobs.keys() == {"_headers", "nginx-headers.conf"}
    assert f"/*\n  Content-Security-Policy: {policy}\n  X-Content-Type-Options: nosniff\n" in jobs["_headers"]
    for name in ("Referrer-Policy", "Permissions-Policy"):
        (value,) = re.findall(rf"^  {name}: (.*)$", jobs["_headers"], re.MULTILINE)
        assert f'add_header {name} "{value}" always;' in jobs["nginx-headers.conf"]
    assert "camera=(), " in jobs["_headers"]
    assert "/assets/*\n  Cache-Control: public, max-age=31536000, immutable\n" in jobs["_headers"]
    assert f'add_header Content-Security-Policy "{policy}" always;' in jobs["nginx-headers.conf"]
    assert re.search(r'if \(\$uri ~ "\^/\(assets\|media\|', jobs["nginx-headers.conf"])
    assert jobs["nginx-headers.conf"].count("{") == jobs["nginx-headers.conf"].count("}")
    blocks = re.findall(r"^(\S.*)\n((?:  .*\n)+)", jobs["_headers"], re.MULTILINE)
    names = [line.split(":")[0].strip() for _, lines in blocks[:1] for line in lines.splitlines()]
    assert "Cache-Control" not in names  # the services join what two rules say of one header


def test_a_site_in_a_folder_has_its_headers_there(tmp_path: Path) -> None:
    """Paths begin with that of the site's url."""
    settings = settings_of(tmp_path, url="https://tide.example/a.b")
    headers, nginx = (job.read().decode() for job in plan_headers(settings, (), searchable=False))
    assert "\n/a.b/*\n" in headers
    assert "\n/a.b/assets/*\n" in headers
    assert r'"^/a\.b/(assets' in nginx


@pytest.mark.parametrize("base", ["", "/a.b"])
def test_documents_are_downloaded(tmp_path: Path, base: str) -> None:
    """A PDF in media/ may have scripts: browsers download it."""
    settings = settings_of(tmp_path, url=f"https://tide.example{base}")
    headers, nginx = (job.read().decode() for job in plan_headers(settings, (), searchable=False))
    assert f"\n{base}/media/*.pdf\n  Content-Disposition: attachment\n" in headers
    pattern = re.search(r'if \(\$uri ~ "([^"]*pdf[^"]*)"\)', nginx)
    assert pattern
    assert re.search(pattern[1], f"{base}/media/{'0' * 32}.pdf")
    assert not re.search(pattern[1], f"{base}/blog/a.pdf")


def test_headers_can_be_switched_off(tmp_path: Path) -> None:
    """`headers = false` writes no files."""
    assert plan_headers(settings_of(tmp_path, "[delivery]\nheaders = false\n"), (), searchable=True) == ()
