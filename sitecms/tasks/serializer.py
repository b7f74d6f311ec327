"""How tasks travel: as JSON, never as pickle, so that no one who can write to the queue can run code."""

from datetime import datetime
from typing import Any

import orjson
from huey.registry import Message
from huey.serializer import Serializer

_TIMES = ("eta", "expires_resolved")


class JsonSerializer(Serializer):  # type: ignore[misc]  # huey has no types
    """Messages as JSON objects of the fields of `huey.registry.Message`. Chains of tasks are refused: what follows
    is the sweep's to see."""

    def _serialize(self, data: Message) -> bytes:
        return orjson.dumps(data._asdict())

    def _deserialize(self, data: bytes) -> Message:
        fields: dict[str, Any] = orjson.loads(data)
        for name in _TIMES:
            if isinstance(fields.get(name), str):
                fields[name] = datetime.fromisoformat(fields[name])
        return Message(**fields)
