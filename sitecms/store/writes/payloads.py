"""Payloads of writes as JSON."""

from msgspec import DecodeError, ValidationError, json

from sitecms.content.writes import Delete, Payload, Save, Unreadable

UNREADABLE = "The stored request of this write cannot be read: {problem}. Send the request again."
_encoder = json.Encoder()
_decoder: json.Decoder[Save | Delete] = json.Decoder(Save | Delete)


def encode_payload(payload: Payload) -> str:
    """Return the payload as JSON."""
    return payload.text if isinstance(payload, Unreadable) else _encoder.encode(payload).decode()


def decode_payload(text: str) -> Payload:
    """Return the payload of a stored write; `Unreadable` if its text is none."""
    try:
        return _decoder.decode(text)
    except (DecodeError, ValidationError) as error:
        return Unreadable(text, UNREADABLE.format(problem=str(error).rstrip(".")))
