"""A copy of a store in a file: what one moment saw, whatever keeps the store."""

from pathlib import Path

import pytest

from sitecms.actions.operations.store_transfer import copy_to_file, renew_copy
from sitecms.actions.operations.verify.verify import verify_store
from sitecms.content.author import Author
from sitecms.settings.service_url import ServiceUrl
from sitecms.settings.site import SiteSettings
from sitecms.site.scratch_site import open_scratch_site
from sitecms.store.database import StoreAddress
from sitecms.store.entries.authors import find_authors, save_author
from sitecms.store.maintenance.readiness import ChangeWatch
from sitecms.store.maintenance.rows import is_unused, numbers, table_sums
from sitecms.store.opening import open_database
from tests.support.sites import ExampleSite


def everything(address: StoreAddress) -> object:
    database = open_database(address)
    with database.reading() as session:
        found = table_sums(session), numbers(session)
    database.close()
    return found


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """Where a copy may be made."""
    return tmp_path / "copy" / ".sitecms" / "store.db"


def test_a_copy_has_every_row_and_none_that_came_later(example: ExampleSite, target: Path) -> None:
    """Its numbers too, so that it goes on as the store would have."""
    example.load()
    target.parent.mkdir(parents=True)
    before = everything(example.database.address)
    copied = copy_to_file(example.database, target)
    example.database.write(save_author, Author("later"))
    assert everything(target) == before
    assert copied.change_number == example.database.change_number() - 1


def test_a_copy_is_made_anew_in_the_place_of_the_last(example: ExampleSite, target: Path) -> None:
    """When the store has changed, which is seen by its number."""
    example.load()
    target.parent.mkdir(parents=True)
    changes = ChangeWatch(example.database.address)
    first = changes.now()
    renew_copy(example.database.address, target)
    assert changes.now() == first is not None
    example.database.write(save_author, Author("later"))
    assert changes.now() != first
    renew_copy(example.database.address, target)
    assert everything(target) == everything(example.database.address)
    changes.close()


def test_without_a_store_the_copy_is_empty(tmp_path: Path, target: Path, engine: object) -> None:
    """Nothing is made where the store would be."""
    target.parent.mkdir(parents=True)
    renew_copy(tmp_path / "none.db", target)
    database = open_database(target)
    assert database.read(is_unused)
    database.close()
    assert not (tmp_path / "none.db").exists()
    assert ChangeWatch(tmp_path / "none.db").now() is None
    assert ChangeWatch(ServiceUrl("postgresql://127.0.0.1:1/none")).now() is None


def test_what_happens_in_a_shadow_stays_there(example: ExampleSite) -> None:
    """Its store is a file, whatever keeps the site's."""
    example.load()
    settings: SiteSettings = example.settings
    before = everything(settings.store)
    with open_scratch_site(settings) as scratch:
        database = scratch.copy_store()
        database.write(save_author, Author("scratch"))
        assert "scratch" in {author.slug for author in database.read(find_authors)}
        assert scratch.settings(settings).store == database.address
        database.close()
    assert everything(settings.store) == before


def test_a_copy_that_is_to_be_searched_is_in_order(example: ExampleSite, tmp_path: Path) -> None:
    """Its search index goes with its texts: nothing for verify to find."""
    example.load()
    store = tmp_path / "tide" / ".sitecms" / "other.db"
    copy_to_file(example.database, store)
    example.database.close()
    if isinstance(example.database.address, Path):
        store.replace(example.database.address)
    else:
        example.settings_are(store={"url": "sqlite"})
        store.replace(example.settings.store_path)
    report = verify_store(example.settings, example.now)
    assert report.findings == ()
