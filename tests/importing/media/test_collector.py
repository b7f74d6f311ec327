"""Media of an import: fetched once, resumed, failures kept apart."""

import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson
import pytest
from msgspec.structs import replace

from sitecms.documents import read_front_matter, read_yaml
from sitecms.errors import FetchFailed, InvalidRequest
from sitecms.importing.media.collector import MediaChoice, MediaOptions
from sitecms.importing.media.downloads import AT_ONCE_OF_HOST, download
from sitecms.importing.records import NoteKind
from sitecms.importing.report import ImportReport
from sitecms.importing.run import ImportOptions, import_site
from sitecms.media.fetching.fetch import FetchRules
from tests.importing.building import build
from tests.importing.old_host import OldHost, old_host, picture
from tests.importing.wxr import export, item
from tests.support.interruption import interrupt

RULES = FetchRules(("127.0.0.1",), max_bytes=5_000_000, total_seconds=20)
UPLOADS = "/wp-content/uploads/2012/03"


@pytest.fixture
def host() -> Iterator[OldHost]:
    """The old site, with two pictures."""
    with old_host() as served:
        served.files[f"{UPLOADS}/sea.png"] = (picture("blue"), "image/png")
        served.files[f"{UPLOADS}/sun.png"] = (picture("yellow"), "image/png")
        yield served


def _source(path: Path, host: OldHost, *bodies: str) -> str:
    items = [item(number, content=body) for number, body in enumerate(bodies, 1)]
    path.write_text(export(*items).replace("https://old.example", host.address), encoding="utf-8")
    return str(path)


def _import(folder: Path, source: str, **options: object) -> ImportReport:
    media = MediaOptions(rules=RULES, **options)  # type: ignore[arg-type]
    return import_site(folder, [source], ImportOptions(media=media))


def _body(folder: Path, number: int = 1) -> str:
    return read_front_matter(folder / f"content/posts/post-{number}.md").body


def test_the_original_of_a_resized_picture_is_fetched_once(tmp_path: Path, host: OldHost) -> None:
    """Sizes, srcset and links to one picture are one file, at its upload path."""
    image = f'<img src="{UPLOADS}/sea-300x200.png" srcset="{UPLOADS}/sea-150x150.png 150w">'
    small = f'<p>a</p><a href="{UPLOADS}/sea.png">{image}</a>'
    source = _source(tmp_path / "e.xml", host, small, f'<p><img src="{host.address}{UPLOADS}/sea.png" alt="Sea"></p>')
    _import(tmp_path / "site", source)
    assert (tmp_path / "site/media/2012/03/sea.png").read_bytes() == picture("blue")
    assert "[![](media/2012/03/sea.png)](media/2012/03/sea.png)" in _body(tmp_path / "site")
    assert "![Sea](media/2012/03/sea.png)" in _body(tmp_path / "site", 2)
    assert host.requests.total() == 1


def test_a_copy_is_taken_where_the_original_is_gone(tmp_path: Path, host: OldHost) -> None:
    """The address that the text names is the second choice."""
    host.files[f"{UPLOADS}/cat-300x200.png"] = (picture("grey"), "image/png")
    _import(tmp_path / "site", _source(tmp_path / "e.xml", host, f'<img src="{UPLOADS}/cat-300x200.png">'))
    assert (tmp_path / "site/media/2012/03/cat.png").read_bytes() == picture("grey")


def test_a_failure_ends_nothing_and_is_tried_again_alone(tmp_path: Path, host: OldHost) -> None:
    """A missing file keeps its old address until --retry gets it; other files are not fetched again."""
    body = f'<p><img src="{UPLOADS}/sea.png"></p><p><img src="{UPLOADS}/late.png"></p>'
    source = _source(tmp_path / "e.xml", host, body)
    report = _import(tmp_path / "site", source)
    assert len(report.failures) == 1
    assert f"{host.address}{UPLOADS}/late.png" in _body(tmp_path / "site")
    host.files[f"{UPLOADS}/late.png"] = (picture("pink"), "image/png")
    host.requests.clear()
    _import(tmp_path / "site", source)
    assert host.requests.total() == 0
    report = _import(tmp_path / "site", source, is_retry=True)
    assert not report.failures
    assert host.requests == {f"{UPLOADS}/late.png": 1}
    assert "media/2012/03/late.png" in _body(tmp_path / "site")


def test_a_page_in_place_of_a_picture_is_a_failure(tmp_path: Path, host: OldHost) -> None:
    """What is no picture is not written."""
    host.files[f"{UPLOADS}/x.jpg"] = (b"<!doctype html><title>Not found</title>", "image/jpeg")
    report = _import(tmp_path / "site", _source(tmp_path / "e.xml", host, f'<img src="{UPLOADS}/x.jpg">'))
    assert "HTML page" in report.failures[0]
    assert not (tmp_path / "site/media").exists()


def test_a_redirect_to_a_private_address_is_refused(tmp_path: Path, host: OldHost) -> None:
    """An export cannot make this machine ask services of its own network; a redirect within the host is followed."""
    host.moved = {
        f"{UPLOADS}/in.png": "http://10.0.0.1/sea.png",
        f"{UPLOADS}/meta.png": "http://169.254.169.254/latest/",
        f"{UPLOADS}/new.png": f"{UPLOADS}/sea.png",
    }
    body = "".join(f'<p><img src="{path}"></p>' for path in host.moved)
    report = _import(tmp_path / "site", _source(tmp_path / "e.xml", host, body))
    assert [failure.rpartition("/")[2].split(":")[0] for failure in sorted(report.failures)] == ["in.png", "meta.png"]
    assert (tmp_path / "site/media/2012/03/new.png").read_bytes() == picture("blue")


def test_a_file_beyond_the_limit_is_a_failure(tmp_path: Path, host: OldHost) -> None:
    """It is asked for once, the others are taken, and no part of the large one stays."""
    host.files[f"{UPLOADS}/huge.png"] = (picture("red") + b"\0" * (RULES.max_bytes + 1), "image/png")
    body = f'<p><img src="{UPLOADS}/huge.png"></p><p><img src="{UPLOADS}/sea.png"></p>'
    report = _import(tmp_path / "site", _source(tmp_path / "e.xml", host, body))
    assert len(report.failures) == 1
    assert "huge.png" in report.failures[0]
    assert host.requests[f"{UPLOADS}/huge.png"] == 1
    assert [path.name for path in (tmp_path / "site/media").rglob("*.png")] == ["sea.png"]


def test_names_that_differ_in_case_only_are_two_files(tmp_path: Path, host: OldHost) -> None:
    """On many systems Sea.png is sea.png, so one of them gets another name, which is reported."""
    host.files[f"{UPLOADS}/Sea.png"] = (picture("red"), "image/png")
    body = f'<p><img src="{UPLOADS}/sea.png"></p><p><img src="{UPLOADS}/Sea.png"></p>'
    report = _import(tmp_path / "site", _source(tmp_path / "e.xml", host, body))
    files = {path.name.lower(): path.read_bytes() for path in (tmp_path / "site/media").rglob("*.png")}
    assert sorted(files.values()) == sorted((picture("blue"), picture("red")))
    assert any("another file has the same name" in subject for _kind, subject in report.notes)


def test_equal_pictures_are_one_file(tmp_path: Path, host: OldHost) -> None:
    """Two addresses with the same bytes lead to the first file."""
    host.files[f"{UPLOADS}/copy.png"] = (picture("blue"), "image/png")
    body = f'<p><img src="{UPLOADS}/sea.png"></p><p><img src="{UPLOADS}/copy.png"></p>'
    _import(tmp_path / "site", _source(tmp_path / "e.xml", host, body))
    assert len(list((tmp_path / "site/media").rglob("*.png"))) == 1


def test_a_broken_transfer_is_continued(tmp_path: Path, host: OldHost) -> None:
    """What has arrived is not fetched again, if the host confirms that the file is the same."""
    host.files[f"{UPLOADS}/big.png"] = (picture("navy", 4000) + b"\0" * 600_000, "image/png")
    host.broken[f"{UPLOADS}/big.png"] = 1
    _import(tmp_path / "site", _source(tmp_path / "e.xml", host, f'<img src="{UPLOADS}/big.png">'))
    assert (tmp_path / "site/media/2012/03/big.png").read_bytes() == host.files[f"{UPLOADS}/big.png"][0]
    assert len(host.ranges) == 1


def test_a_transfer_that_hangs_is_continued(tmp_path: Path, host: OldHost) -> None:
    """A host that falls silent within a file costs its time-out, and not what has arrived."""
    host.files[f"{UPLOADS}/big.png"] = (picture("navy", 4000) + b"\0" * 600_000, "image/png")
    host.stalled[f"{UPLOADS}/big.png"] = 1
    report = _import(tmp_path / "site", _source(tmp_path / "e.xml", host, f'<img src="{UPLOADS}/big.png">'))
    assert not report.failures
    assert (tmp_path / "site/media/2012/03/big.png").read_bytes() == host.files[f"{UPLOADS}/big.png"][0]
    assert len(host.ranges) == 1


def test_a_file_that_changed_meanwhile_is_fetched_whole(tmp_path: Path, host: OldHost) -> None:
    """The parts of two files are never put together."""
    address, part = f"{host.address}{UPLOADS}/big.bin", tmp_path / "big.part"
    host.files[f"{UPLOADS}/big.bin"] = (b"old" * 300_000, "application/octet-stream")
    host.broken[f"{UPLOADS}/big.bin"] = 1
    with pytest.raises(FetchFailed):
        download(address, part, RULES)
    assert 0 < part.stat().st_size < 900_000
    host.files[f"{UPLOADS}/big.bin"], host.etag = (b"new" * 300_000, "application/octet-stream"), '"v2"'
    assert download(address, part, RULES).path.read_bytes() == b"new" * 300_000
    assert len(host.ranges) == 1


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_host_is_asked_again_later(tmp_path: Path, host: OldHost, status: int) -> None:
    """Retry-After is obeyed."""
    host.busy_status = status
    host.busy[f"{UPLOADS}/sea.png"] = 2
    _import(tmp_path / "site", _source(tmp_path / "e.xml", host, f'<img src="{UPLOADS}/sea.png">'))
    assert (tmp_path / "site/media/2012/03/sea.png").is_file()
    assert host.requests[f"{UPLOADS}/sea.png"] == 3


def test_a_host_serves_few_at_once(tmp_path: Path, host: OldHost) -> None:
    """Never more than four requests run at one host."""
    host.delay_seconds = 0.05
    for number in range(20):
        host.files[f"{UPLOADS}/{number}.png"] = (picture("red", 40 + number), "image/png")
    body = "".join(f'<p><img src="{UPLOADS}/{number}.png"></p>' for number in range(20))
    _import(tmp_path / "site", _source(tmp_path / "e.xml", host, body))
    assert len(list((tmp_path / "site/media").rglob("*.png"))) == 20
    assert 1 < host.most_at_once <= AT_ONCE_OF_HOST


def test_local_copies_come_first(tmp_path: Path, host: OldHost) -> None:
    """A folder of uploads saves the network."""
    (tmp_path / "uploads/2012/03").mkdir(parents=True)
    (tmp_path / "uploads/2012/03/sea.png").write_bytes(picture("blue"))
    source = _source(tmp_path / "e.xml", host, f'<p><img src="{UPLOADS}/sea-300x200.png"></p>')
    _import(tmp_path / "site", source, given=(str(tmp_path / "uploads"),))
    assert host.requests.total() == 0
    assert "media/2012/03/sea.png" in _body(tmp_path / "site")


def test_links_stay_on_the_old_site_if_wished(tmp_path: Path, host: OldHost) -> None:
    """With `link` nothing is fetched; a later run with `download` gets everything."""
    source = _source(tmp_path / "e.xml", host, f'<p><img src="{UPLOADS}/sea.png"></p>')
    _import(tmp_path / "site", source, choice=MediaChoice.LINK)
    assert f"{host.address}{UPLOADS}/sea.png" in _body(tmp_path / "site")
    _import(tmp_path / "site", source)
    assert "(media/2012/03/sea.png)" in _body(tmp_path / "site")


def test_a_second_run_fetches_nothing(tmp_path: Path, host: OldHost) -> None:
    """The state knows the files."""
    source = _source(tmp_path / "e.xml", host, f'<p><img src="{UPLOADS}/sea.png"></p>')
    _import(tmp_path / "site", source)
    before = (tmp_path / "site/imports/wordpress.json").read_bytes()
    host.requests.clear()
    _import(tmp_path / "site", source)
    assert host.requests.total() == 0
    assert (tmp_path / "site/imports/wordpress.json").read_bytes() == before
    assert orjson.loads(before)["media"]


@pytest.mark.parametrize("files_before", range(2, 7))
def test_equal_files_of_an_interrupted_run_become_one(tmp_path: Path, host: OldHost, files_before: int) -> None:
    """The site is that of a run without interruption: one copy of each picture, and no conflicts."""
    names = [f"/wp-content/uploads/2012/{month:02}/sea.png" for month in (5, 4, 3, 2, 1)]
    host.files.update(
        {name: (picture("blue" if number % 2 else "red"), "image/png") for number, name in enumerate(names)}
    )
    source = _source(tmp_path / "e.xml", host, *(f'<p><img src="{name}"></p>' for name in names))
    _import(tmp_path / "whole", source)
    interrupt(lambda: _import(tmp_path / "cut", source), after_files=files_before)
    _import(tmp_path / "cut", source)
    assert _bytes(tmp_path / "cut") == _bytes(tmp_path / "whole")


def _bytes(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file() and ".sitecms" not in path.parts)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_a_linked_document_keeps_its_address(tmp_path: Path, host: OldHost) -> None:
    """A file of a type that no page shows is a download at its old address; a page in its place is a failure."""
    host.files[f"{UPLOADS}/plan.docx"] = (b"PK\x03\x04 words", "application/msword")
    host.files[f"{UPLOADS}/a%20b.tar.gz"] = (b"\x1f\x8b bytes", "application/gzip")
    host.files[f"{UPLOADS}/gone.odt"] = (b"<!DOCTYPE html><p>Gone.</p>", "text/html")
    links = "".join(f'<p><a href="{UPLOADS}/{name}">x</a></p>' for name in ("plan.docx", "a%20b.tar.gz", "gone.odt"))
    site = tmp_path / "site"
    source = _source(tmp_path / "e.xml", host, links)
    for _run in range(2):
        report = _import(site, source)
        assert f"[x]({UPLOADS}/plan.docx)" in _body(site)
        assert (site / f"static{UPLOADS}/plan.docx").read_bytes() == b"PK\x03\x04 words"
        assert f"{host.address}{UPLOADS}/gone.odt" in _body(site)
        assert len(report.failures) == 1
    assert host.requests[f"{UPLOADS}/plan.docx"] == 1
    build(site)
    assert (site / f"public{UPLOADS}/plan.docx").is_file()
    assert (site / f"public{UPLOADS}/a b.tar.gz").is_file()


def test_a_refused_file_of_the_source_keeps_its_address(tmp_path: Path) -> None:
    """That is the one where readers of the old site found it, not its path in the source."""
    posts = tmp_path / "blog/content/news/flow"
    posts.mkdir(parents=True)
    (tmp_path / "blog/hugo.toml").write_text('baseURL = "https://old.example/"\n')
    (posts / "index.md").write_text("---\ntitle: Flow\ndate: 2020-01-02\n---\n![Flow](flow.svg)\n")
    (posts / "flow.svg").write_text('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>')
    report = _import(tmp_path / "site", str(tmp_path / "blog"))
    assert len(report.failures) == 1
    text = next((tmp_path / "site/content").rglob("*.md")).read_text()
    assert "/news/flow/flow.svg" in text
    assert "/content/" not in text


def _upload(number: int, path: str, *, parent: int = 0, link: str = "") -> str:
    text = item(number, kind="attachment", status="inherit", link=link or f"https://old.example/file-{number}/")
    url = f"<wp:attachment_url>https://old.example{path}</wp:attachment_url>"
    return text.replace("<wp:post_parent>0", f"<wp:post_parent>{parent}").replace("</item>", f"{url}</item>")


def _uploads(path: Path, host: OldHost) -> str:
    """Write an export with a post that names one picture, and three uploads."""
    post = item(1, content=f'<p><img src="https://old.example{UPLOADS}/sea.png"></p>')
    files = (_upload(5, f"{UPLOADS}/sea.png"), _upload(6, f"{UPLOADS}/sun.png"), _upload(7, "/x.docx", parent=1))
    path.write_text(export(post, *files).replace("https://old.example", host.address), encoding="utf-8")
    host.files["/x.docx"] = (b"words", "application/msword")
    return str(path)


def test_uploads_that_no_text_names_are_counted(tmp_path: Path, host: OldHost) -> None:
    """They stay behind with a line. The page of a file leads to its post, else to the file, else nowhere."""
    report = _import(tmp_path / "site", _uploads(tmp_path / "e.xml", host))
    group = report.notes[NoteKind.LEFT_OUT, "uploads that no text names"]
    assert (group.count, "--all-media" in group.remedy) == (2, True)
    assert (report.counts["pictures", "uploads in the source"], report.counts["pictures", "arrived"]) == (2, 1)
    assert (report.counts["documents", "uploads in the source"], report.counts["documents", "arrived"]) == (1, 0)
    rules: Any = read_yaml(tmp_path / "site/redirects.yaml")
    leads = {rule["from"]: rule.get("to", "gone") for rule in rules}
    assert leads["/file-5/"] == "media/2012/03/sea.png"
    assert leads["/file-6/"] == "gone"
    assert leads["/file-7/"] == "/2012/03/post-1/"


def test_all_media_are_taken_to_their_old_addresses(tmp_path: Path, host: OldHost) -> None:
    """With --all-media; a second run fetches none of them again."""
    source, site = _uploads(tmp_path / "e.xml", host), tmp_path / "site"
    for _run in range(2):
        report = _import(site, source, takes_all=True)
        assert (NoteKind.LEFT_OUT, "uploads that no text names") not in report.notes
        assert (site / f"static{UPLOADS}/sun.png").read_bytes() == picture("yellow")
        assert (site / "static/x.docx").read_bytes() == b"words"
        assert (report.counts["pictures", "arrived"], report.counts["documents", "arrived"]) == (2, 1)
        assert (site / "media/2012/03/sea.png").is_file()
        rules: Any = read_yaml(site / "redirects.yaml")
        assert {"from": "/file-6/", "to": f"{UPLOADS}/sun.png"} in rules
    assert host.requests.total() == 3
    build(site)
    assert (site / f"public{UPLOADS}/sun.png").is_file()


@pytest.mark.parametrize(
    "path",
    [
        "/.htaccess", f"{UPLOADS}/.htaccess", "/.git/config", "/.git/notes.txt", "/_redirects", "/_headers", "/CNAME",
        "/.user.ini", "/index.html", "/sitemap.xml", "/robots.txt", "/2012/03/post-1/index.html", "/sw.js",
        f"{UPLOADS}/x.php", "/pagefind/pagefind.js", "/nginx-headers.conf",
    ],
)  # fmt: skip
def test_all_media_bring_nothing_that_steers_the_site(tmp_path: Path, host: OldHost, path: str) -> None:
    """Neither pages and scripts nor settings of servers, hosts and Git can come as uploads; a line names them."""
    host.files[path] = (b"evil", "application/octet-stream")
    source = tmp_path / "e.xml"
    source.write_text(export(item(1), _upload(7, path)).replace("https://old.example", host.address), encoding="utf-8")
    report = _import(tmp_path / "site", str(source), takes_all=True)
    assert report.notes[NoteKind.LEFT_OUT, "uploads that are no documents"].count == 1
    assert not (tmp_path / "site/static").exists()
    assert not host.requests


def test_a_document_in_a_hidden_folder_is_stored_in_none(tmp_path: Path, host: OldHost) -> None:
    """Git would obey a folder `.git` in `static`."""
    host.files["/.git/hooks/run.sh"] = (b"echo", "text/x-sh")
    source = _source(tmp_path / "e.xml", host, f'<p><a href="{host.address}/.git/hooks/run.sh">run</a></p>')
    _import(tmp_path / "site", source)
    assert (tmp_path / "site/static/git/hooks/run.sh").read_bytes() == b"echo"
    assert not (tmp_path / "site/static/.git").exists()


@pytest.mark.parametrize("names", [("a", "a/b"), ("b/c", "b")])
def test_a_file_whose_folder_is_a_file_is_left_on_the_old_site(
    tmp_path: Path, host: OldHost, names: tuple[str, ...]
) -> None:
    """An archive can hold both; the other files are imported."""
    paths = [f"{UPLOADS}/{name}.{kind}" for kind in ("png", "doc") for name in names]
    paths = [path.replace("a/b", f"a.{path[-3:]}/b").replace("b/c", f"b.{path[-3:]}/c") for path in paths]
    for number, path in enumerate(paths):
        data = picture(width=40 + number) if path.endswith("png") else f"PK{number}".encode()
        host.files[path] = (data, "application/octet-stream")
    body = "".join(f'<p><a href="{host.address}{path}">file</a></p>' for path in (*paths, f"{UPLOADS}/sea.png"))
    report = _import(tmp_path / "site", _source(tmp_path / "e.xml", host, body))
    assert len(report.failures) == 2
    assert (tmp_path / "site/media/2012/03/sea.png").is_file()


def test_a_dry_run_counts_as_the_run_does(tmp_path: Path, host: OldHost) -> None:
    """Local files are examined and what is to be fetched is expected to be there, so rules and results are equal."""
    local = tmp_path / "uploads/2012/03"
    local.mkdir(parents=True)
    (local / "sea.png").write_bytes(picture("blue"))
    (local / "same.png").write_bytes(picture("blue"))
    (local / "bad.png").write_bytes(b"no picture")
    names = ("sea", "same", "bad", "sun")
    body = "".join(f'<p><img src="{UPLOADS}/{name}.png"></p>' for name in names)
    source = _source(tmp_path / "e.xml", host, body)
    reports = []
    for is_dry in (True, False):
        media = MediaOptions(given=(str(tmp_path / "uploads"),), rules=RULES)
        reports.append(import_site(tmp_path / "site", [source], ImportOptions(is_dry=is_dry, media=media)))
        assert (tmp_path / "site").exists() != is_dry
    dry, real = ({"/".join(key): count for key, count in each.counts.items()} for each in reports)
    assert dry == real
    assert reports[0].failures == reports[1].failures


def test_a_killed_run_fetches_nothing_whole_again(tmp_path: Path, host: OldHost) -> None:
    """What arrived is known to the next run though the state was not saved, and what broke off is continued."""
    names = [f"{UPLOADS}/{number}.png" for number in range(6)]
    host.files.update({name: (picture("blue", 40 + n), "image/png") for n, name in enumerate(names)})
    source = _source(tmp_path / "e.xml", host, *(f'<p><img src="{name}"></p>' for name in names))
    arrived = 0

    def end_after_four(what: str, done: int, total: int) -> None:
        nonlocal arrived
        if what == "Fetching media" and done == 4:
            arrived = done
            raise KeyboardInterrupt

    options = ImportOptions(media=MediaOptions(rules=RULES))
    with suppress(KeyboardInterrupt):
        import_site(tmp_path / "site", [source], options, end_after_four)
    assert arrived == 4
    first = {name for name in names if (tmp_path / "site/media/2012/03" / name.rpartition("/")[2]).is_file()}
    host.requests.clear()
    import_site(tmp_path / "site", [source], options)
    assert not first & host.requests.keys()
    assert len(list((tmp_path / "site/media").rglob("*.png"))) == 6
    assert not list((tmp_path / "site/.sitecms").rglob("*.jsonl"))


def test_two_imports_into_one_folder_at_once_are_refused(tmp_path: Path, host: OldHost) -> None:
    """The second one says so and changes nothing; a dry run may go on."""
    source, refused = _source(tmp_path / "e.xml", host, "<p>a</p>"), list[str]()

    def import_again(what: str, _done: int, _total: int) -> None:
        if what == "Reading" and not refused:
            import_site(tmp_path / "site", [source], ImportOptions(is_dry=True))
            with pytest.raises(InvalidRequest, match="Another import into"):
                import_site(tmp_path / "site", [source], ImportOptions())
            refused.append(what)

    import_site(tmp_path / "site", [source], ImportOptions(), import_again)
    assert refused
    assert _body(tmp_path / "site").strip() == "a"


def test_an_import_that_cannot_begin_leaves_no_folder(tmp_path: Path) -> None:
    """A source without an entry of a known kind makes no site."""
    (tmp_path / "bad.xml").write_text("<rss><channel><wp:wxr_version>1.2</wp:wxr_version><item>")
    with pytest.raises(InvalidRequest):
        import_site(tmp_path / "site", [str(tmp_path / "bad.xml")], ImportOptions())
    assert not (tmp_path / "site").exists()


def test_a_look_up_that_fails_once_costs_no_file(tmp_path: Path, host: OldHost) -> None:
    """The name is looked up again for each file, even where the resolver said that there is no such host."""
    failures = [socket.gaierror(socket.EAI_NONAME, "Name or service not known")] * 2

    def resolve(_host: str, _port: int) -> tuple[str, ...]:
        if failures:
            raise failures.pop()
        return ("127.0.0.1",)

    source = _source(tmp_path / "e.xml", host, *(f'<img src="{UPLOADS}/{name}.png">' for name in ("sea", "sun")))
    Path(source).write_text(Path(source).read_text().replace("127.0.0.1", "old.example"))
    rules = replace(RULES, allow_hosts=("old.example",), resolve=resolve)
    report = import_site(tmp_path / "site", [source], ImportOptions(media=MediaOptions(rules=rules)))
    assert not report.failures
    assert len(list((tmp_path / "site/media").rglob("*.png"))) == 2


def test_a_host_that_hangs_costs_no_more_than_a_few_files(tmp_path: Path) -> None:
    """After some attempts without a byte, its other files are not tried, and --retry would."""
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen(64)
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        images = "".join(f'<p><img src="{address}/{number}.png"></p>' for number in range(60))
        post = item(1, content=images)
        (tmp_path / "e.xml").write_text(export(post).replace("https://old.example", address))
        rules = replace(RULES, total_seconds=1.0, connect_seconds=0.3)
        report = import_site(
            tmp_path / "site", [str(tmp_path / "e.xml")], ImportOptions(media=MediaOptions(rules=rules))
        )
    assert len(report.failures) == 60
    assert sum("not tried" in failure for failure in report.failures) >= 40
