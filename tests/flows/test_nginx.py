"""Built sites served by nginx with the two files that the build writes for it."""

import gzip
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

import pytest
import requests

from sitecms.site.plan.header_files import FOREVER, FRESH, security_policy
from tests.support.nginx import MISSING, nginx_program, running_nginx
from tests.support.ports import free_port
from tests.support.sites import ExampleSite

pytestmark = pytest.mark.slow
SECONDS = 60


def site_conf(port: int, public: Path, base: str = "") -> str:
    """What the comments in the two files say, as an owner would write it down."""
    place = f"root {public};" if not base else f"location {base}/ {{ alias {public}/; }}"
    return f"""
    map $uri $sitecms_moved {{ include {public}/nginx-redirects.map; }}
    server {{
        listen 127.0.0.1:{port};
        absolute_redirect off;
        gzip_static on;
        include {public}/nginx-headers.conf;
        if ($sitecms_moved) {{ return 301 $sitecms_moved; }}
        error_page 404 {base}/404.html;
        {place}
    }}
    """


@dataclass(frozen=True)
class Served:
    """A built site and where nginx serves it."""

    example: ExampleSite
    url: str

    def get(self, path: str, **headers: str) -> requests.Response:
        return requests.get(self.url + path, headers=headers, allow_redirects=False, timeout=SECONDS)


@pytest.fixture(scope="module")
def sample(
    repo: Path,
    lacking: Callable[[str], None],
    tmp_path_factory: pytest.TempPathFactory,
    open_example: Callable[[Path], ExampleSite],
    lend_derived: Callable[[Path], None],
) -> Iterator[Served]:
    """The sample site with compressed copies, served as a whole."""
    if nginx_program() is None:
        lacking(MISSING)
    folder = tmp_path_factory.mktemp("nginx")
    shutil.copytree(repo / "sample_site", folder / "site", ignore=shutil.ignore_patterns(".sitecms", "public"))
    lend_derived(folder / "site")
    example = open_example(folder / "site")
    example.add_settings('[delivery]\nprecompress = ["gz"]')
    example.make()
    port = free_port()
    with running_nginx(site_conf(port, example.public), folder / "nginx"):
        yield Served(example, f"http://127.0.0.1:{port}")
    example.database.close()


def test_every_answer_carries_the_security_headers(sample: Served) -> None:
    """Pages, assets, redirects and what is not there."""
    policy = security_policy(sample.example.settings, searchable=(sample.example.public / "pagefind").is_dir())
    style = next(path for path in sample.example.tree() if path.startswith("assets/") and path.endswith(".css"))
    for path in ("/", "/blog/", f"/{style}", "/landing-page/home/", "/no/such/page/", "/feed.xml"):
        headers = sample.get(path).headers
        assert headers["Content-Security-Policy"] == policy, path
        assert headers["X-Content-Type-Options"] == "nosniff", path
        assert headers["Referrer-Policy"] == "strict-origin-when-cross-origin", path


def test_versioned_files_are_immutable_and_pages_revalidate(sample: Served) -> None:
    """Assets and media for good; pages, feeds and Pagefind's entry point are revalidated, which costs no body."""
    for path in sorted(sample.example.tree()):
        if path.startswith((".", "_", "nginx-")) or path.endswith((".gz", "index.html", "404.html")):
            continue
        lasting = re.match(r"(assets|media|pagefind/(fragment|index))/", path)
        answer = requests.head(f"{sample.url}/{path}", timeout=SECONDS)
        assert (answer.status_code, answer.headers["Cache-Control"]) == (200, FOREVER if lasting else FRESH), path
    page = sample.get("/")
    assert page.headers["Cache-Control"] == FRESH
    again = sample.get("/", **{"If-None-Match": page.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_documents_are_downloaded(sample: Served) -> None:
    """A PDF in media/ is never opened at the site's address; pictures are, and nothing says how."""
    name = "0123456789abcdef0123456789abcdef"
    (sample.example.public / f"media/{name}.pdf").write_bytes(b"%PDF-1.7 <script>alert(1)</script>")
    answer = sample.get(f"/media/{name}.pdf")
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "application/pdf")
    assert (answer.headers["Content-Disposition"], answer.headers["X-Content-Type-Options"]) == (
        "attachment",
        "nosniff",
    )
    picture = next(path for path in sample.example.tree() if path.startswith("media/") and path.endswith(".jpg"))
    assert "Content-Disposition" not in sample.get(f"/{picture}").headers
    (sample.example.public / f"media/{name}.pdf").unlink()


def test_types_fit_where_browsers_may_not_guess(sample: Served) -> None:
    """With nosniff a stylesheet or script of another type is not used at all."""
    types = {
        ".css": "text/css", ".js": "application/javascript", ".html": "text/html", ".svg": "image/svg+xml",
        ".webp": "image/webp", ".avif": "image/avif", ".jpg": "image/jpeg", ".png": "image/png",
    }  # fmt: skip
    found: dict[str, str] = {}
    for path in sample.example.tree():
        found.setdefault(Path(path).suffix, path)
    for suffix in {".css", ".js", ".html", ".webp", ".jpg"} | (types.keys() & found.keys()):
        assert sample.get(f"/{found[suffix]}").headers["Content-Type"] == types[suffix]


def test_compressed_copies_are_sent_to_whom_takes_them(sample: Served) -> None:
    """The copy that the build made, byte for byte; the plain file to everybody else."""
    path = "blog/index.html"
    plain, packed = (sample.example.public / name for name in (path, f"{path}.gz"))
    with requests.get(
        f"{sample.url}/blog/", headers={"Accept-Encoding": "gzip"}, stream=True, timeout=SECONDS
    ) as answer:
        assert answer.headers["Content-Encoding"] == "gzip"
        sent = answer.raw.read()
    assert sent == packed.read_bytes()
    assert gzip.decompress(sent) == plain.read_bytes()
    untouched = sample.get("/blog/", **{"Accept-Encoding": "identity"})
    assert "Content-Encoding" not in untouched.headers
    assert untouched.content == plain.read_bytes()


def test_missing_page_shows_the_sites_404(sample: Served) -> None:
    """With the status that says so, and not for a year where an asset would be kept that long."""
    for path in ("/nothing/here/", "/assets/gone.0123456789ab.css", "/blog/no-such-post"):
        answer = sample.get(path)
        assert answer.status_code == 404
        assert answer.content == (sample.example.public / "404.html").read_bytes()
        assert answer.headers.get("Cache-Control") != FOREVER


def test_the_home_page_s_own_address_leads_to_the_root(sample: Served) -> None:
    """In both locales, in one step."""
    for path, target in (("/landing-page/home/", "/"), ("/es/landing-page/home/", "/es/")):
        answer = sample.get(path)
        assert (answer.status_code, answer.headers["Location"]) == (301, target)
        assert sample.get(target).status_code == 200


LONG = "/old/" + "a-very-long-name-" * 12 + "/"
ALIASES = (
    '/q"uote/', "/back\\slash/", "/star*/", "/:slug/", "/$uri/", "/日本/", "/semi;{}/", "/100%/", "/dot.",
    "/Blog/Slack/", "/BLOG/slack/", "/Ärger/", "/tide's/", "/plus+(x)[y]^$|/", "/~tilde/", "/\\t/", LONG, "/Old.html",
)  # fmt: skip


@pytest.mark.parametrize("base", ["", "/mag", "/a.b", "/ü"])
def test_every_old_address_leads_to_the_post(
    example: ExampleSite, lacking: Callable[[str], None], tmp_path: Path, base: str
) -> None:
    """Whatever signs and letters it holds, however long it is; the post itself leads nowhere else."""
    if nginx_program() is None:
        lacking(MISSING)
    example.settings_are(url=f"https://tide.example{base}")
    example.post("slack", slug="slack", published="2026-03-01T08:00:00Z", aliases=list(ALIASES))
    example.make()
    port = free_port()
    with running_nginx(site_conf(port, example.public, base), tmp_path / "nginx"):
        base = quote(base)
        served = Served(example, f"http://127.0.0.1:{port}{base}")
        here = served.get("/blog/slack/")
        assert (here.status_code, here.content) == (200, (example.public / "blog/slack/index.html").read_bytes())
        for alias in ALIASES:
            path = alias if "." in alias.rsplit("/", 1)[-1] else f"{alias.rstrip('/')}/"
            answer = served.get(quote(path))
            assert (answer.status_code, answer.headers.get("Location")) == (301, f"{base}/blog/slack/"), alias
            if path.endswith("/"):  # in one step, even if there is a folder with a page
                assert served.get(quote(path[:-1])).headers.get("Location") == f"{base}/blog/slack/", alias
        style = next(path for path in example.tree() if path.startswith("assets/"))
        assert served.get(f"/{style}").headers["Cache-Control"] == FOREVER
        assert served.get("/nothing/").content == (example.public / "404.html").read_bytes()


RULES = f"""
- {{from: /shop/, to: /blog/calm/}}
- {{from: /Shop/, to: /blog/flow/}}
- {{from: /flow/, to: /blog/calm/}}
- {{from: {LONG}, to: /blog/calm/, status: 302}}
- {{from: "/?p=12", to: /blog/calm/}}
- {{from: "/?p=12&cat=3", to: /blog/flow/}}
- {{from: "/list/?name=%E6%BD%AE", to: /blog/flow/}}
- {{from: /日本/a.php, to: "/blog/flow/#top", status: 308}}
- {{from: /gone/, gone: true}}
- {{from: /forum/*, to: https://forum.example/*}}
- {{from: /forum/old/*, to: /blog/calm/}}
"""
ANSWERS = (
    ("/shop/", 301, "/blog/calm/"), ("/Shop/", 301, "/blog/flow/"), ("/shop", 301, "/blog/calm/"),
    ("/flow/", 301, "/blog/calm/"), ("/Flow/", 200, None), (LONG, 302, "/blog/calm/"), (LONG[:-1], 302, "/blog/calm/"),
    ("/?p=12", 301, "/blog/calm/"), ("/?utm=x&p=12", 301, "/blog/calm/"), ("/?cat=3&p=12", 301, "/blog/flow/"),
    ("/?p=13", 200, None), ("/list/?name=%E6%BD%AE", 301, "/blog/flow/"), ("/list?name=%E6%BD%AE", 301, "/blog/flow/"),
    ("/%E6%97%A5%E6%9C%AC/a.php", 308, "/blog/flow/#top"), ("/gone/", 410, None), ("/blog/flow/", 404, None),
    ("/forum/a%20b/?x=1", 301, "https://forum.example/a%20b/"), ("/forum/old/thread", 301, "/blog/calm/"),
    ("/forum", 404, None),
)  # fmt: skip


@pytest.mark.parametrize("base", ["", "/Mag"])
def test_rules_of_redirects_yaml(
    example: ExampleSite, lacking: Callable[[str], None], tmp_path: Path, base: str
) -> None:
    """Exact addresses with their case, queries, prefixes, statuses; a rule never answers in place of a page."""
    if nginx_program() is None:
        lacking(MISSING)
    example.settings_are(url=f"https://tide.example{base}")
    example.post("calm", slug="calm", published="2026-03-01T08:00:00Z")
    example.post("flow", slug="flow", published="2026-03-01T08:00:00Z", path="/Flow/")
    example.write("redirects.yaml", RULES)
    example.make()
    port = free_port()
    place = f"root {example.public};" if not base else f"location {base}/ {{ alias {example.public}/; }}"
    conf = f"""
    include {example.public}/nginx-redirect-maps.conf;
    server {{
        listen 127.0.0.1:{port};
        absolute_redirect off;
        include {example.public}/nginx-redirects.conf;
        {place}
    }}
    """
    with running_nginx(conf, tmp_path / "nginx"):
        served = Served(example, f"http://127.0.0.1:{port}{base}")
        for path, status, target in ANSWERS:
            answer = served.get(path if path.isascii() else quote(path))
            wanted = base + target if target and target.startswith("/") else target
            assert (answer.status_code, answer.headers.get("Location")) == (status, wanted), path
