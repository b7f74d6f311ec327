"""Settings of services of others: analytics, comments, and the receivers of a contact form and of a newsletter's.

Each preset names the script that pages load and what the Content-Security-Policy has to allow for it.
"""

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import parse_qsl

from msgspec import Struct
from msgspec.structs import replace

from sitecms.web_address import split_address

PolicySources = Mapping[str, tuple[str, ...]]
"""Sources by directive of the Content-Security-Policy."""
_UMAMI, _GISCUS, _UTTERANCES, _FORMSPREE, _BUTTONDOWN, _KEILA = (
    "https://cloud.umami.is",
    "https://giscus.app",
    "https://utteranc.es",
    "https://formspree.io",
    "https://buttondown.com",
    "https://app.keila.io",
)
_NEEDED: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("analytics", "plausible"): ("id",),
    ("analytics", "goatcounter"): ("id",),
    ("analytics", "umami"): ("id",),
    ("analytics", "fathom"): ("id",),
    ("analytics", "ga4"): ("id",),
    ("comments", "giscus"): ("repository", "repository_id", "category", "category_id"),
    ("comments", "utterances"): ("repository",),
    ("comments", "disqus"): ("id",),
    ("comments", "isso"): ("host",),
    ("contact_form", "formspree"): ("id",),
    ("contact_form", "own"): ("endpoint",),
    ("newsletter", "buttondown"): ("id",),
    ("newsletter", "listmonk"): ("id", "host"),
    ("newsletter", "keila"): ("id",),
    ("newsletter", "mailchimp"): ("endpoint",),
    ("newsletter", "own"): ("endpoint",),
}
"""The keys that a service needs, by table and service."""


class ThirdPartyScript(Struct, frozen=True):
    """A script of a service: its address, its attributes, and the sources that it needs.

    `needs_consent`: it stores something on the visitor's device, so it is loaded only after the visitor agrees.
    `element`: id of the element that the script fills.
    """

    src: str
    attributes: Mapping[str, str]
    policy: PolicySources
    needs_consent: bool = False
    element: str = ""


class ContactForm(Struct, frozen=True):
    """The form on the Single Page `page`; `action` is its receiver, "" for the page itself (Netlify)."""

    page: str
    action: str
    policy: PolicySources


class Newsletter(Struct, frozen=True):
    """The form by which readers subscribe to emails. The service receives the address as `email_name`.

    `hidden` are further values that it needs. `honeypot` is the name of a field that people leave empty. `text` and
    `consent` are the owner's own sentences, "" for those of the theme; `privacy_page` is the slug of a Single Page.
    """

    action: str
    policy: PolicySources
    email_name: str = "email"
    hidden: Mapping[str, str] = {}
    honeypot: str = ""
    text: str = ""
    consent: str = ""
    privacy_page: str = ""


class Integrations(Struct, frozen=True):
    """The services of one site."""

    analytics: ThirdPartyScript | None = None
    comments: ThirdPartyScript | None = None
    contact_form: ContactForm | None = None
    newsletter: Newsletter | None = None

    @property
    def policy(self) -> Iterator[PolicySources]:
        """The sources that the services need."""
        return (each.policy for each in (self.analytics, self.comments, self.contact_form, self.newsletter) if each)


def integrations(data: Mapping[str, Any]) -> Integrations:
    """Return the services in the checked tables of site.toml, defaults filled in."""
    return Integrations(
        _analytics(**data["analytics"]),
        _comments(data["comments"]),
        _form(**data["contact_form"]),
        _newsletter(data["newsletter"]),
    )


def missing_keys(data: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield table, key and service of each setting that a service needs and that is empty."""
    for (table, service), keys in _NEEDED.items():
        if data[table]["service"] == service:
            yield from ((table, key, service) for key in keys if not data[table][key])


def _analytics(service: str, id: str, host: str) -> ThirdPartyScript | None:  # noqa: A002 - names of settings
    host = host.rstrip("/")
    if service == "plausible":
        return _script(host or "https://plausible.io", "/js/script.js", {"data-domain": id})
    if service == "umami":
        more = () if host else ("https://*.umami.dev",)
        return _script(host or _UMAMI, "/script.js", {"data-website-id": id}, connect=more)
    if service == "goatcounter":
        counter = host or f"https://{id}.goatcounter.com"
        scripts = host or "https://gc.zgo.at"
        return _script(scripts, "/count.js", {"data-goatcounter": f"{counter}/count"}, connect=(_origin(counter),))
    if service == "fathom":
        return _script("https://cdn.usefathom.com", "/script.js", {"data-site": id})
    if service == "ga4":
        google = ("https://*.google-analytics.com", "https://*.analytics.google.com", "https://*.googletagmanager.com")
        tags, attributes = "https://www.googletagmanager.com", {"data-measurement": id}
        return _script(tags, f"/gtag/js?id={id}", attributes, connect=google, needs_consent=True)
    return None


def _comments(table: Mapping[str, str]) -> ThirdPartyScript | None:
    service, repository = table["service"], table["repository"]
    if service == "giscus":
        attributes: dict[str, str] = {
            "data-repo": repository,
            "data-repo-id": table["repository_id"],
            "data-category": table["category"],
            "data-category-id": table["category_id"],
            "data-mapping": "pathname",
            "data-strict": "1",
            "data-theme": "preferred_color_scheme",
            "crossorigin": "anonymous",
        }
        more = {"style-src": (_GISCUS,), "frame-src": (_GISCUS,)}
        return _script(_GISCUS, "/client.js", attributes, more, element="giscus")
    if service == "utterances":
        attributes = {"repo": repository, "issue-term": "pathname", "theme": "preferred-color-scheme"}
        more = {"frame-src": (_UTTERANCES,)}
        return _script(_UTTERANCES, "/client.js", {**attributes, "crossorigin": "anonymous"}, more)
    if service == "disqus":
        forum, assets = f"https://{table['id']}.disqus.com", "https://c.disquscdn.com"
        sources = {"script-src": (forum, assets), "style-src": (assets,), "frame-src": ("https://disqus.com",)}
        return _script(forum, "/embed.js", {}, sources, needs_consent=True, element="disqus_thread")
    if service == "isso":
        host = table["host"].rstrip("/")
        more = {"style-src": (_origin(host),)}
        return _script(host, "/js/embed.min.js", {"data-isso": f"{host}/"}, more, element="isso-thread")
    return None


def _form(service: str, id: str, endpoint: str, page: str) -> ContactForm | None:  # noqa: A002 - names of settings
    if service == "formspree":
        return ContactForm(page, f"{_FORMSPREE}/f/{id}", {"form-action": (_FORMSPREE,)})
    if service == "own":
        return ContactForm(page, endpoint, {"form-action": (_origin(endpoint),)})
    return ContactForm(page, "", {}) if service == "netlify" else None


def _newsletter(table: Mapping[str, str]) -> Newsletter | None:
    list_id, host, endpoint = table["id"], table["host"].rstrip("/"), table["endpoint"]
    match table["service"]:
        case "buttondown":
            action = f"{_BUTTONDOWN}/api/emails/embed-subscribe/{list_id}"
            form = Newsletter(action, _receiver(action), hidden={"embed": "1"})
        case "listmonk":
            action = f"{host}/subscription/form"
            form = Newsletter(action, _receiver(action), hidden={"l": list_id}, honeypot="nonce")
        case "keila":
            action = f"{host or _KEILA}/forms/{list_id}"
            form = Newsletter(action, _receiver(action), "contact[email]", honeypot="h[url]")
        case "mailchimp":
            query = dict(parse_qsl(split_address(endpoint).query))
            honeypot = f"b_{query.get('u', '')}_{query.get('id', '')}"
            form = Newsletter(endpoint, _receiver(endpoint), "EMAIL", honeypot=honeypot)
        case "own":
            form = Newsletter(endpoint, _receiver(endpoint), honeypot="website")
        case _:
            return None
    return replace(form, text=table["text"], consent=table["consent"], privacy_page=table["privacy_page"])


def _receiver(url: str) -> PolicySources:
    return {"form-action": (_origin(url),)}


def _script(
    host: str,
    path: str,
    attributes: Mapping[str, str],
    more: PolicySources | None = None,
    *,
    connect: tuple[str, ...] = (),
    needs_consent: bool = False,
    element: str = "",
) -> ThirdPartyScript:
    """Return a script that is loaded from a host, and sends to that host and those in `connect`."""
    origin = _origin(host)
    policy = {"script-src": (origin,), "connect-src": (origin, *connect), **(more or {})}
    return ThirdPartyScript(f"{host}{path}", attributes, policy, needs_consent, element)


def _origin(url: str) -> str:
    parts = split_address(url)
    return f"{parts.scheme}://{parts.netloc}"
