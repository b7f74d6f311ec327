"""Files with all redirects in the formats of web servers: of entries, and the rules of redirects.yaml.

`_redirects` holds both. nginx reads redirects of entries from `nginx-redirects.map`, and rules from
`nginx-redirect-maps.conf`, included in `http { }`, and `nginx-redirects.conf`, included in the `server { }` of the
site. A map finds plain text in a hash table, however many rules there are; it tries prefixes one after another.

A format for another web server is a function here that returns or yields lines; `plan_redirect_files` names its file.
"""

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from itertools import groupby
from urllib.parse import quote

from sitecms.content.fingerprint import digest
from sitecms.content.permalink import url_path
from sitecms.site.plan.redirect_rules import Rule
from sitecms.site.plan.redirect_sources import Redirect
from sitecms.site.routes import INDEX, Routes
from sitecms.site.theme.assets import FileJob, file_of_bytes
from sitecms.web_address import ascii_address

HOSTED = "_redirects"
NGINX = "nginx-redirects.map"
NGINX_MAPS = "nginx-redirect-maps.conf"
NGINX_SERVER = "nginx-redirects.conf"
LONGEST_PLAIN = 40
"""Most bytes of an address in nginx's hash table with its default size, on 64-bit processors."""


def plan_redirect_files(
    redirects: tuple[Redirect, ...], routes: Routes, rules: tuple[Rule, ...] = (), pages: Iterable[str] = ()
) -> tuple[FileJob, ...]:
    """Return the redirects and rules in the formats of web servers; no file without them.

    `pages` are the output paths of the pages of the site.
    """
    sources = (*(each.path for each in redirects), *(rule.path for rule in rules if not rule.is_prefix))
    cased = _lower_case((*sources, *(f"/{page.removesuffix(INDEX)}" for page in pages)), routes) if sources else set()
    texts = {}
    if redirects or rules:
        texts[HOSTED] = _hosted(redirects, rules, routes)
    if redirects:
        texts[NGINX] = _nginx(redirects, routes, cased)
    files = {path: "".join(f"{line}\n" for line in lines).encode() for path, lines in texts.items()}
    return tuple(file_of_bytes(path, data) for path, data in {**files, **_nginx_rules(rules, routes, cased)}.items())


def _lower_case(addresses: Iterable[str], routes: Routes) -> Set[str]:
    """Return in lower case the addresses that have capitals: another one may be equal but for its case."""
    written = (routes.settings.readable_base_path + each.rstrip("/") for each in addresses)
    return {lower for each in written if (lower := each.lower()) != each}


def _hosted(redirects: tuple[Redirect, ...], rules: tuple[Rule, ...], routes: Routes) -> Iterator[str]:
    yield "# Read by Netlify, Cloudflare Pages and others. Written by sitecms."
    yield from hosted_rules([rule for rule in rules if rule.query], routes)
    for each in redirects:
        yield f"{_plain(routes.url(each.path))} {_plain(routes.url(each.target))} 301"
    yield from hosted_rules([rule for rule in rules if not rule.query], routes)


def _nginx(redirects: tuple[Redirect, ...], routes: Routes, cased: Set[str]) -> Iterator[str]:
    """Yield the lines of an nginx map of `$uri`, which is decoded text."""
    yield "# Written by sitecms. In http { } of nginx, and then in the server { } of the site:"
    yield f"#   map $uri $sitecms_moved {{ include /path/to/{NGINX}; }}"
    yield "#   if ($sitecms_moved) { return 301 $sitecms_moved; }"
    for each in redirects:
        source = routes.settings.readable_base_path + each.path
        if source.isprintable():
            yield from (f'"{key}" "{_plain(routes.url(each.target))}";' for key in _keys(source, "", cased))


def _keys(path: str, query: str, cased: Set[str]) -> Iterator[str]:
    """Yield the keys of an address in an nginx map, with a slash at its end and without.

    nginx compares plain entries without case in a hash table, and expressions with case, one after another. So an
    expression is used only if case matters, or if the address is too long for the hash table.
    """
    bare, slash = (path.rstrip("/"), "/") if path.endswith("/") and path != "/" else (path, "")
    if (bare + query).lower() != bare + query or bare in cased or len((path + query).encode()) > LONGEST_PLAIN:
        yield _quoted(f"~^{re.escape(bare)}{slash and '/?'}{re.escape(query)}$")
    else:
        yield from (_quoted(each + query) for each in dict.fromkeys((bare + slash, bare)) if each)


def _precedence(rule: Rule) -> tuple[int, bool]:
    """Return the sort key of rules for servers that use the first match; the order is that of `RuleIndex`."""
    return -len(rule.query), rule.is_prefix


def rule_target(rule: Rule, routes: Routes) -> str:
    """Return the target of a rule as a URL, without the rest of the requested address that stands for its `*`."""
    to = rule.to.removesuffix("*") if rule.appends_rest else rule.to
    if not to.startswith("/"):
        return quote(ascii_address(to), safe="/%~@!&'()+,;=-._:?#[]")
    path, mark, rest = re.match(r"([^?#]*)([?#]?)(.*)", to, re.DOTALL).groups()  # type: ignore[union-attr]
    return routes.base_path + quote(path, safe="/%~@!&'()+,;=-._:") + mark + quote(rest, safe="/%~@!&'()+,;=-._:?#")


def hosted_rules(rules: Sequence[Rule], routes: Routes) -> Iterator[str]:
    """Yield lines of `_redirects`, rules with a query first: the host uses the first line that matches a request."""
    for rule in sorted(rules, key=_precedence):
        source = routes.base_path + quote(rule.path, safe="/~@!&'()+,;=-._") + "*" * rule.is_prefix
        query = "".join(f" {quote(name)}={quote(value)}" for name, value in rule.query)
        to = rule_target(rule, routes) + ":splat" * rule.appends_rest if rule.to else f"{routes.base_path}/404.html"
        yield f"{source}{query} {to} {rule.status}{'!' * bool(rule.query)}"


def _nginx_rules(rules: Sequence[Rule], routes: Routes, cased: Set[str]) -> dict[str, bytes]:
    """Return the content of both nginx files of rules, by file name; empty without rules."""
    if not rules:
        return {}
    name = f"sitecms_{digest(routes.settings.url.encode())[:8]}"
    groups = groupby(sorted(filter(_is_supported, rules), key=_nginx_precedence), _map_of)
    maps = [
        "# Written by sitecms. In http { } of nginx, with a name of its own for each site:",
        f"#   include /path/to/{NGINX_MAPS};",
    ]
    server = ["# Written by sitecms. In the server { } of the site:", f"#   include /path/to/{NGINX_SERVER};"]
    for number, ((matched, status), rules_of_group) in enumerate(groups):
        variable = f"${name}_{number}"
        maps += [
            f'map "{matched}" {variable} {{',
            *(f"  {line}" for line in _map_lines(list(rules_of_group), routes, cased)),
            "}",
        ]
        answer = "return 410;" if status == 410 else f"return {status} {variable};"  # Gone
        server.append(f"if ({variable}) {{ {answer} }}")
    return {NGINX_MAPS: _text(maps), NGINX_SERVER: _text(server)}


def _map_of(rule: Rule) -> tuple[str, int]:
    """Return what the rules of one nginx map have in common: the text that they match, and their status."""
    return _matched_text(rule), rule.status


def _nginx_precedence(rule: Rule) -> tuple[object, ...]:
    """Return the sort key by which few maps follow one another; prefixes, which may overlap, stay in their order."""
    return *_precedence(rule), *(() if rule.is_prefix else _map_of(rule))


def _text(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def _matched_text(rule: Rule) -> str:
    """Return the nginx variables of a request that the map with this rule compares."""
    if rule.is_prefix:
        return "$request_uri"
    return "$uri" + "".join(f"{_separator(number)}{name}=$arg_{name}" for number, name in enumerate(_names(rule)))


def _is_supported(rule: Rule) -> bool:
    """Return whether nginx has a variable for each parameter, and the address fits on one line."""
    return all(re.fullmatch("[A-Za-z0-9_]+", name) for name in _names(rule)) and rule.source.isprintable()


def _names(rule: Rule) -> list[str]:
    return [name for name, _value in rule.query]


def _separator(number: int) -> str:
    return "&" if number else "?"


def _map_lines(rules: Sequence[Rule], routes: Routes, cased: Set[str]) -> Iterator[str]:
    for rule in rules:
        to = rule_target(rule, routes) if rule.to else "1"
        if rule.is_prefix:
            rest = "(?<sitecms_rest>[^?]*)" if rule.appends_rest else ""
            source = re.escape(routes.base_path + url_path(rule.path))
            yield f'"~^{_quoted(source)}{rest}" "{to}{"$sitecms_rest" * rule.appends_rest}";'
            continue
        values = (quote(value, safe="/~@!'(),;-._") for _name, value in rule.query)
        pairs = zip(_names(rule), values, strict=True)
        query = "".join(f"{_separator(at)}{name}={value}" for at, (name, value) in enumerate(pairs))
        yield from (f'"{key}" "{to}";' for key in _keys(routes.settings.readable_base_path + rule.path, query, cased))


def _quoted(text: str) -> str:
    """Return the text as it is written between nginx's quotation marks."""
    return text.replace("\\", r"\\").replace('"', r"\"")


def _plain(url: str) -> str:
    """Return the URL without characters that have a meaning in these files."""
    return quote(url, safe="/%~@!&'()+,;=-._")
