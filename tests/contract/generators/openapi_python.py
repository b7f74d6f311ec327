"""What the client that openapi-generator makes for Python must do: list, create, update and delete."""

import importlib
import json
import sys
import time
from collections.abc import Callable
from typing import Any

api: Any = importlib.import_module("openapi_client")
NotFound: Any = importlib.import_module("openapi_client.exceptions").NotFoundException
NEW, SENT = "openapi-python", {"headline": "Sent"}


def until(ask: Callable[[], Any], holds: Callable[[Any], bool]) -> Any:
    """Ask until the answer is the wished one: accepted writes are carried out moments later."""
    deadline = time.monotonic() + 60
    while True:
        try:
            found = ask()
        except NotFound:
            found = None
        if found is not None and holds(found):
            return found
        if time.monotonic() > deadline:
            raise SystemExit(f"still {found}")
        time.sleep(0.05)


def is_lost(ask: Callable[[], Any]) -> bool:
    """Whether the answer is 404."""
    try:
        ask()
    except NotFound:
        return True
    return False


base, token = sys.argv[1:]
page_change = api.PageChange(fields=api.PageChangeFields(api.PageFieldsNews(intro="Patched")))
item_change = api.ItemChange(fields=api.ItemChangeFields(api.ItemFieldsTeam(casks=api.ItemFieldsTeamCasks(7))))
client = api.ApiClient(api.Configuration(host=base, api_key={"header": token}, api_key_prefix={"header": "Token"}))
posts, pages, content = api.PostsApi(client), api.PagesApi(client), api.CollectionsApi(client)

posts.post_posts(api.CreatePost(title="Sent", slug=NEW, status="published"))
until(posts.get_posts, lambda found: NEW in [post.slug for post in found.data])
posts.patch_posts_slug(NEW, api.PostChange(title="Changed"))
until(lambda: posts.get_posts_slug(NEW), lambda found: found.data.title == "Changed")
posts.delete_posts_slug(NEW)
lost = [is_lost(lambda: posts.get_posts_slug(NEW))]

fields = api.CreatePageNewsFields(api.PageFieldsNews.from_dict(SENT))
page = api.CreatePageNews(title="Sent", slug=NEW, status="published", page_type="news", fields=fields)
pages.post_pages(api.CreatePage(page))
until(lambda: pages.get_pages_page_type_page_slug("news", NEW), bool)
pages.patch_pages_page_type_page_slug("news", NEW, page_change)
read = until(
    lambda: pages.get_pages_page_type_page_slug("news", NEW).data.actual_instance,
    lambda found: found.fields.intro == "Patched",
)
pages.delete_pages_page_type_page_slug("news", NEW)
lost.append(is_lost(lambda: pages.get_pages_page_type_page_slug("news", NEW)))

body = {"key": "team", "fields": [{"name": NEW}], "status": "published"}
content.post_content(api.CreateItems(api.CreateItemsTeam.from_dict(body)))
team = until(lambda: content.get_content_keys("team").data.team, lambda found: NEW in [item.name for item in found])
number = next(item.meta.id for item in team if item.name == NEW)
content.patch_content_key_item_id("team", number, item_change)
item = until(
    lambda: content.get_content_key_item_id("team", number).data.actual_instance, lambda found: found.casks == 7
)
content.delete_content_key_item_id("team", number)
lost.append(is_lost(lambda: content.get_content_key_item_id("team", number)))
seen = {"type": type(read).__name__, "headline": read.fields.headline, "item": item.name, "lost": lost}
sys.stdout.write(json.dumps(seen))
