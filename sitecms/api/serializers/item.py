"""Items as JSON (specification, Collection item): `{"meta": {"id": 41}, <the collection's own fields>}`."""

from sitecms.content.field_value import JsonObject
from sitecms.content.item import Item


def item_json(item: Item, fields: JsonObject) -> JsonObject:
    """An item, on its own or where something refers to it, with its fields as `serializers.fields` gives them."""
    return {"meta": {"id": item.id}, **fields}
