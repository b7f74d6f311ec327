"""Which read endpoint a path means, found faster than Flask finds it; a test holds the two against each other."""

from collections.abc import Sequence

from sitecms.api.call import Endpoint

Segments = tuple[str | None, ...]


class Routes:
    """The endpoints by their paths. A path's `<name>` stands for one segment that is not empty.

    Of several endpoints the one with the fewest names counts, as `/v2/posts/search/` before `/v2/posts/<slug>/`.
    Endpoints with other placeholders, such as `<int:id>`, are left to Flask.
    """

    def __init__(self, endpoints: Sequence[Endpoint]) -> None:
        self._fixed: dict[str, Endpoint] = {}
        self._open: dict[Segments, tuple[Endpoint, tuple[str, ...]]] = {}
        places: dict[int, set[tuple[int, ...]]] = {}
        for endpoint in endpoints:
            segments = endpoint.path.split("/")
            named = tuple(place for place, segment in enumerate(segments) if segment.startswith("<"))
            if not named:
                self._fixed[endpoint.path] = endpoint
            elif ":" not in endpoint.path:
                names = tuple(segments[place].strip("<>") for place in named)
                self._open[_opened(segments, named)] = endpoint, names
                places.setdefault(len(segments), set()).add(named)
        self._places = {
            length: sorted(found, key=lambda named: (len(named), named)) for length, found in places.items()
        }

    def find(self, path: str) -> tuple[Endpoint, dict[str, str]] | None:
        """The endpoint, and what stands for its names. `path` is as WSGI gives it: bytes in the guise of Latin-1."""
        fixed = self._fixed.get(path)
        if fixed is not None:
            return fixed, {}
        segments = path.split("/")
        for named in self._places.get(len(segments), ()):
            found = self._open.get(_opened(segments, named))
            if found is not None and all(segments[place] for place in named):
                return found[0], {name: _text(segments[place]) for name, place in zip(found[1], named, strict=True)}
        return None


def _opened(segments: Sequence[str], named: Sequence[int]) -> Segments:
    opened: list[str | None] = list(segments)
    for place in named:
        opened[place] = None
    return tuple(opened)


def _text(segment: str) -> str:
    return segment if segment.isascii() else segment.encode("latin-1").decode("utf-8", "replace")
