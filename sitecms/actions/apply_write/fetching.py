"""Remote media of a write: fetched before the transaction into files named by their content."""

from collections.abc import Callable, Iterable

from sitecms.actions.request_media import UNREACHABLE, FetchedMedia
from sitecms.content.media import MediaFile
from sitecms.errors import FetchFailed, FetchRefused, InvalidFields, InvalidMedia, RemoteMissing
from sitecms.store.database import Transaction
from sitecms.store.media_files import save_media

FetchMedia = Callable[[str], MediaFile]
"""Takes the file at a remote URL into the library. Raises RemoteMissing, FetchRefused, FetchFailed, InvalidMedia."""

FETCH_ATTEMPTS = 3


def fetch_all(fetch: FetchMedia, named: Iterable[tuple[str, str]], attempt: int) -> dict[str, MediaFile]:
    """The files, by URL; `named` are (field, URL).

    Raises InvalidFields for what cannot be had; at the first attempts FetchFailed where the remote may yet answer.
    """
    fetched: dict[str, MediaFile] = {}
    problems: dict[str, list[str]] = {}
    for field, url in named:
        if url in fetched:
            continue
        try:
            fetched[url] = fetch(url)
        except (RemoteMissing, FetchRefused):
            problems.setdefault(field, []).append(UNREACHABLE)
        except InvalidMedia as error:
            problems.setdefault(field, []).append(str(error))
        except FetchFailed:
            if attempt < FETCH_ATTEMPTS:
                raise
            problems.setdefault(field, []).append(UNREACHABLE)
    if problems:
        raise InvalidFields(problems)
    return fetched


def remember_media(transaction: Transaction, media: FetchedMedia) -> None:
    """Keep what is known of the files."""
    for file in media.files():
        save_media(transaction, file)
