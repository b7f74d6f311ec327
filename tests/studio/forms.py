"""Forms of the studio as a browser sends them."""

import re
from html import unescape

from werkzeug.datastructures import MultiDict
from werkzeug.test import TestResponse

from .conftest import Browser

_CONTROL = re.compile(
    r'<input (?![^>]* disabled)[^>]*?name="([^"]+)" [^>]*?>|<textarea [^>]*?name="([^"]+)"[^>]*>\n(.*?)</textarea>'
    r'|<select [^>]*?name="([^"]+)"[^>]*>(.*?)</select>',
    re.S,
)


def form_of(browser: Browser) -> MultiDict[str, str]:
    """The fields of the form of an entry as a browser sends them."""
    return form_in(browser.page[browser.page.index('class="editor"') :])


def form_in(page: str) -> MultiDict[str, str]:
    """The fields of the first form in a page, and of those behind it."""
    found: MultiDict[str, str] = MultiDict()
    for match in _CONTROL.finditer(page):
        tag, name = match[0], match[1] or match[2] or match[4]
        if match[2]:
            found.add(name, re.sub(r"\r\n|\r|\n", "\r\n", unescape(match[3])))
        elif match[4]:
            chosen = re.search(r'<option value="([^"]*)" selected>', match[5])
            first = re.search(r'<option value="([^"]*)"', match[5])
            found.add(name, unescape((chosen or first)[1]) if chosen or first else "")  # type: ignore[index]
        elif 'type="checkbox"' not in tag or " checked" in tag:
            value = re.search(r' value="([^"]*)"', tag)
            found.add(name, re.sub(r"[\r\n]", "", unescape(value[1])) if value else "")
    return found


def carried(page: str) -> dict[str, list[str]]:
    """The fields of a form that the page of a choice carries along."""
    found: MultiDict[str, str] = MultiDict()
    for name, value in re.findall(r'<textarea name="([^"]+)" hidden>\n(.*?)</textarea>', page, re.S):
        found.add(name, unescape(value))
    return dict(found.lists())


def press(browser: Browser, button: str, path: str = "", **changes: object) -> TestResponse:
    """Press a button of the form that is open, after typing these values; `__` stands for a dot, None for no field."""
    form = form_of(browser)
    for name, value in changes.items():
        key = name.replace("__", ".")
        if isinstance(value, list):
            form.setlist(key, value)
        elif value is None:
            form.poplist(key)
        else:
            form[key] = str(value)
    form["do"] = button
    (action,) = re.findall(r'action="([^"]+)" class="editor"', browser.page)
    headers = {"Sec-Fetch-Site": "same-origin"}
    response = browser.client.post(path or unescape(action), data=form, headers=headers, follow_redirects=True)
    browser.page = response.get_data(as_text=True)
    return response


def press_settings(browser: Browser, path: str, changes: dict[str, object], button: str = "save") -> TestResponse:
    """Send the form of settings that is open with these values, lists for several of one name; None for no field."""
    page = browser.page[browser.page.index('id="settings"') :]
    form = form_in(page[: page.index("</form>")])
    form.poplist("do")
    for name, value in changes.items():
        form.setlist(name, value if isinstance(value, list) else [] if value is None else [str(value)])
    return browser.send(
        path, **{"do": button, **{name: values for name, values in form.lists() if name != "form_token"}}
    )
