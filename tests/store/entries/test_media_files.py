"""Records of media files."""

from datetime import UTC, datetime

from msgspec.structs import replace

from sitecms.content.media import MediaDetails, MediaFile
from sitecms.store.database import Database
from sitecms.store.entries.media_files import correct_media, find_media, save_details, save_media

SEA = MediaFile("0" * 32 + ".jpg", "sea.jpg", "image/jpeg", 9, datetime(2026, 3, 1, tzinfo=UTC), 4, 3)


def test_details_stay_when_a_record_is_stored_again_or_corrected(store: Database) -> None:
    """The same file uploaded once more, and `sitecms verify --repair`, know nothing of what people say of it."""
    details = MediaDetails("Waves", focus_x=5, focus_y=100)
    with store.writing() as transaction:
        save_media(transaction, SEA)
        save_details(transaction, SEA.name, details)
        save_media(transaction, replace(SEA, original_name="other.jpg"))
        correct_media(transaction, replace(SEA, size_bytes=10))
        stored = find_media(transaction, [SEA.name])[SEA.name]
    assert stored == replace(SEA, size_bytes=10, details=details)


def test_a_file_without_a_name_gets_the_one_that_a_person_gave_it(store: Database) -> None:
    """A text may name a file as the library does; which name is stored does not depend on the order."""
    unnamed = replace(SEA, original_name=SEA.name)
    with store.writing() as transaction:
        save_media(transaction, unnamed)
        save_media(transaction, SEA)
        save_media(transaction, unnamed)
        assert find_media(transaction, [SEA.name])[SEA.name] == SEA
