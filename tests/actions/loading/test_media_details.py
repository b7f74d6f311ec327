"""Alt texts and focal points in content/media.yaml."""

import pytest

from sitecms.content.media import NO_DETAILS, MediaDetails, MediaFile
from sitecms.store.entries.media_files import all_media, save_details
from tests.actions.conftest import SiteFolder

pytestmark = pytest.mark.sqlite_only("is about files; what a load stores is told by test_load and others")

PATH = "content/media.yaml"


def stored(folder: SiteFolder) -> dict[str, MediaFile]:
    """The media files of the store, by the names they came with; of equal names the last one counts."""
    return {file.original_name: file for file in folder.database.read(all_media).values()}


def edit(folder: SiteFolder, name: str, details: MediaDetails) -> None:
    """Change the details of a file as the studio does."""
    folder.database.write(save_details, stored(folder)[name].name, details)


def test_details_are_loaded(folder: SiteFolder) -> None:
    """Points are kept in hundredths; what an entry does not say is left as it is."""
    folder.image("media/sea.png")
    folder.image("media/pier.png", "red")
    folder.write(PATH, [
        {"file": "media/sea.png", "alt": " Waves ", "focus": {"x": 0.333, "y": 1}},
        {"file": "media/pier.png", "decorative": True},
    ])  # fmt: skip
    report = folder.load()
    assert (report.errors, PATH in report.loaded) == ((), True)
    files = stored(folder)
    assert files["sea.png"].details == MediaDetails("Waves", focus_x=33, focus_y=100)
    assert files["pier.png"].details == MediaDetails(is_decorative=True)


def test_an_edit_made_in_the_studio_stays_until_the_file_says_otherwise(folder: SiteFolder) -> None:
    """A changed line of another value leaves it alone; one of the same value replaces it, with a line that says so."""
    folder.image("media/sea.png")
    folder.write(PATH, [{"file": "media/sea.png", "alt": "Waves"}])
    folder.load()
    edit(folder, "sea.png", MediaDetails("High waves", focus_x=10))
    folder.write(PATH, [{"file": "media/sea.png", "alt": "Waves", "focus": {"x": 0.2, "y": 0.5}}])
    report = folder.load()
    assert stored(folder)["sea.png"].details == MediaDetails("High waves", focus_x=20)
    assert report.replaced == {PATH: {"media/sea.png: focus_x": "10"}}
    folder.write(PATH, [{"file": "media/sea.png", "alt": "Calm"}])
    assert folder.load().replaced == {PATH: {"media/sea.png: alt": "High waves"}}
    assert stored(folder)["sea.png"].details == MediaDetails("Calm", focus_x=20)


def test_tags_are_loaded_and_merged(folder: SiteFolder) -> None:
    """Each once, whatever its case; an edit of the studio stays until the file has other tags."""
    folder.image("media/sea.png")
    folder.write(PATH, [{"file": "media/sea.png", "tags": [" Sea ", "sea", "Isle of  Man"]}])
    assert folder.load().errors == ()
    assert stored(folder)["sea.png"].details == MediaDetails(tags=("Sea", "Isle of Man"))
    edit(folder, "sea.png", MediaDetails(tags=("Sea", "Trip")))
    folder.write(PATH, [{"file": "media/sea.png", "alt": "Waves", "tags": ["Sea", "Isle of Man"]}])
    assert folder.load().replaced == {}
    assert stored(folder)["sea.png"].details == MediaDetails("Waves", tags=("Sea", "Trip"))
    folder.write(PATH, [{"file": "media/sea.png", "alt": "Waves", "tags": None}])
    assert folder.load().replaced == {PATH: {"media/sea.png: tags": "Sea, Trip"}}
    assert stored(folder)["sea.png"].details == MediaDetails("Waves")


def test_a_new_picture_at_the_same_path_gets_the_values_of_the_file(folder: SiteFolder) -> None:
    """It is another file of the library, which nobody has described."""
    folder.image("media/sea.png")
    folder.write(PATH, [{"file": "media/sea.png", "alt": "Waves"}])
    folder.load()
    former = stored(folder)["sea.png"].name
    folder.image("media/sea.png", "teal", (9, 9))
    folder.load()
    files = folder.database.read(all_media)
    assert {file.details.alt for file in files.values()} == {"Waves"}
    assert len(files) == 2
    assert former in files


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ({"file": "media/none.png"}, "media/none.png does not exist in the site folder"),
        ({"file": "https://else.example/a.png"}, "names no file of the media library"),
        ({"file": "media/sea.png", "focus": {"x": 1.2, "y": 0}}, "[0].focus.x"),
        ({"file": "media/sea.png", "tags": "sea"}, "[0].tags"),
        ({"file": "media/sea.png", "tags": ["x" * 61]}, "[0].tags[0]"),
        ({"file": "media/sea.png", "tags": ["sea, sky"]}, 'has a comma in "sea, sky" (list two tags'),
        ({"file": "media/sea.png", "focus": {"x": 0.2, "y": -1}}, "[0].focus.y"),
        ({"file": "media/sea.png", "focus": {"x": 0.2}}, "[0].focus"),
        ({"file": "media/sea.png", "alt": "Waves", "decorative": True}, "the picture is decorative"),
        ({"file": "media/sea.png", "alt": "x" * 256}, "[0].alt"),
        ({"file": "media/sea.png", "caption": "Waves"}, "[0].caption"),
    ],
)
def test_faults_are_named_and_nothing_of_the_file_is_stored(
    folder: SiteFolder, entry: dict[str, object], words: str
) -> None:
    """An unknown file, a point outside of the picture, an unknown key."""
    folder.image("media/sea.png")
    folder.image("media/pier.png", "red")
    folder.post("low-water", "![Sea](media/sea.png) ![Pier](media/pier.png)")
    folder.write(PATH, [{"file": "media/pier.png", "alt": "A pier"}, entry][::-1])
    errors = folder.load().errors
    assert [error.file for error in errors] == [PATH]
    assert words in str(errors[0])
    assert {file.details for file in stored(folder).values()} == {NO_DETAILS}


def test_one_picture_has_one_description(folder: SiteFolder) -> None:
    """Two paths with equal bytes are one file of the library."""
    folder.image("media/sea.png")
    folder.image("media/copy.png")
    entries = [{"file": "media/sea.png", "alt": "Sea"}, {"file": "media/copy.png", "alt": "Copy"}]
    folder.write(PATH, entries)
    (error,) = folder.load().errors
    assert "is the same picture as media/sea.png" in str(error)
    folder.write(PATH, [entries[0], {**entries[1], "alt": "Sea"}])
    assert folder.load().errors == ()
