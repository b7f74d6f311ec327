"""A site that is edited and written back."""

import pytest

from tests.support.newsroom import Newsroom
from tests.support.sites import ExampleSite


@pytest.fixture
def newsroom(example: ExampleSite) -> Newsroom:
    """A site whose files are loaded."""
    example.load()
    return Newsroom(example)
