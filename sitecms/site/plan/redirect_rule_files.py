"""Rules of redirects.yaml in the formats of web servers.

`nginx-redirect-maps.conf` is included in nginx's `http { }`, `nginx-redirects.conf` in the `server { }` of the site.
Maps of plain text are hash tables, so any number of rules is looked up at once; prefixes are tried one by one.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from urllib.parse import quote

from sitecms.content.fingerprint import digest
from sitecms.content.permalink import url_path
from sitecms.site.plan.redirect_rules import Rule
from sitecms.site.routes import Routes

NGINX_MAPS = "nginx-redirect-maps.conf"
NGINX_SERVER = "nginx-redirects.conf"
LONGEST_PLAIN = 40
"""Most bytes of an address in nginx's hash table with its default size, on 64-bit processors."""


def _precedence(rule: Rule) -> tuple[int, bool]:
    """Return the sort key of rules where the first one that fits is used: as `RuleIndex` finds them."""
    return -len(rule.query), rule.is_prefix


def rule_target(rule: Rule, routes: Routes) -> str:
    """Return the address that a rule leads to, without what takes the place of `*`."""
    to = rule.to.removesuffix("*") if rule.takes_rest else rule.to
    if not to.startswith("/"):
        return quote(to, safe="/%~@!&'()+,;=-._:?#[]")
    path, mark, rest = re.match(r"([^?#]*)([?#]?)(.*)", to, re.DOTALL).groups()  # type: ignore[union-attr]
    return routes.base_path + quote(path, safe="/%~@!&'()+,;=-._:") + mark + quote(rest, safe="/%~@!&'()+,;=-._:?#")


def hosted_lines(rules: Sequence[Rule], routes: Routes) -> Iterator[str]:
    """Yield the lines of `_redirects`: rules with a query first, since the first one that fits is used."""
    for rule in sorted(rules, key=_precedence):
        source = quote(routes.base_path + rule.path, safe="/~@!&'()+,;=-._") + "*" * rule.is_prefix
        query = "".join(f" {quote(name)}={quote(value)}" for name, value in rule.query)
        to = rule_target(rule, routes) + ":splat" * rule.takes_rest if rule.to else f"{routes.base_path}/404.html"
        yield f"{source}{query} {to} {rule.status}{'!' * bool(rule.query)}"


def nginx_files(rules: Sequence[Rule], routes: Routes) -> dict[str, bytes]:
    """Return both files for nginx, by name; none without rules."""
    if not rules:
        return {}
    name = f"sitecms_{digest(routes.settings.url.encode())[:8]}"
    groups: dict[tuple[str, int], list[Rule]] = defaultdict(list)
    for rule in sorted(filter(_is_possible, rules), key=_precedence):
        groups[_matched_text(rule), rule.status].append(rule)
    maps = [
        "# Written by sitecms. In http { } of nginx, with a name of its own for each site:",
        f"#   include /path/to/{NGINX_MAPS};",
    ]
    server = ["# Written by sitecms. In the server { } of the site:", f"#   include /path/to/{NGINX_SERVER};"]
    for number, ((matched, status), listed) in enumerate(groups.items()):
        variable = f"${name}_{number}"
        maps += [f'map "{matched}" {variable} {{', *(f"  {line}" for line in _map_lines(listed, routes)), "}"]
        answer = "return 410;" if status == 410 else f"return {status} {variable};"  # Gone
        server.append(f"if ({variable}) {{ {answer} }}")
    return {NGINX_MAPS: _text(maps), NGINX_SERVER: _text(server)}


def _text(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def _matched_text(rule: Rule) -> str:
    """Return the variables of a request that a map of rules of this kind compares."""
    if rule.is_prefix:
        return "$request_uri"
    return "$uri" + "".join(f"{_sign(number)}{name}=$arg_{name}" for number, name in enumerate(_names(rule)))


def _is_possible(rule: Rule) -> bool:
    """Return whether nginx has variables for the parameters, and can read the address on one line."""
    return all(re.fullmatch("[A-Za-z0-9_]+", name) for name in _names(rule)) and rule.source.isprintable()


def _names(rule: Rule) -> list[str]:
    return [name for name, _value in rule.query]


def _sign(number: int) -> str:
    return "&" if number else "?"


def _map_lines(rules: Sequence[Rule], routes: Routes) -> Iterator[str]:
    for rule in rules:
        to = rule_target(rule, routes) if rule.to else "1"
        if rule.is_prefix:
            rest = "(?<sitecms_rest>[^?]*)" if rule.takes_rest else ""
            source = re.escape(url_path(routes.base_path + rule.path))
            yield f'"~^{_quoted(source)}{rest}" "{to}{"$sitecms_rest" * rule.takes_rest}";'
            continue
        values = (quote(value, safe="/~@!'(),;-._") for _name, value in rule.query)
        pairs = zip(_names(rule), values, strict=True)
        query = "".join(f"{_sign(at)}{name}={value}" for at, (name, value) in enumerate(pairs))
        source = routes.base_path + rule.path + query
        is_plain = source == source.lower() and len(source.encode()) <= LONGEST_PLAIN
        key = source if is_plain else f"~^{re.escape(source)}$"
        yield f'"{_quoted(key)}" "{to}";'


def _quoted(text: str) -> str:
    """Return the text as it is written between nginx's quotation marks."""
    return text.replace("\\", r"\\").replace('"', r"\"")
