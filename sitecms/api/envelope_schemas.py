"""JSON Schemas of what endpoints answer, for their tables: names of component schemas in their envelopes."""

from sitecms.content.json_schema import JsonSchema, any_of, array, record, ref


def one(name: str) -> JsonSchema:
    """Return the schema of {"data": <name>}."""
    return record({"data": ref(name)})


def every(name: str) -> JsonSchema:
    """Return the schema of {"data": [<name>]}, a list that is not paged."""
    return record({"data": array(ref(name))})


def paged(data: JsonSchema) -> JsonSchema:
    """Return the schema of {"meta": pagination, "data": ...}."""
    return record({"meta": any_of(ref("PageMeta"), ref("OffsetMeta")), "data": data})


def page_of_list(name: str) -> JsonSchema:
    """Return the schema of {"meta": pagination, "data": [<name>]}."""
    return paged(array(ref(name)))
