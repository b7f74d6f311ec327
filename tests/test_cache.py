"""The bounded cache."""

from sitecms.cache import BoundedCache


def test_new_version_empties_the_cache() -> None:
    """Values of a former version are not stored."""
    cache: BoundedCache[str] = BoundedCache(10_000)
    assert cache.get("a", 1) is None
    cache.put("a", "one", 3, 1)
    assert cache.get("a", 1) == "one"
    assert cache.get("a", 2) is None
    cache.put("a", "one", 3, 1)
    assert cache.get("a", 2) is None
    assert cache.used_size == 0


def test_least_recently_used_entries_are_removed_first() -> None:
    """The total size stays within the limit, and what is too large for it is not stored."""
    cache: BoundedCache[int] = BoundedCache(3)
    for number in range(3):
        cache.put(number, number)
    assert cache.get(0) == 0
    cache.put(3, 3)
    assert cache.keys() == (2, 0, 3)
    cache.put(0, 7, 3)
    assert (cache.keys(), cache.used_size) == ((0,), 3)
    cache.put(4, 4, 4)
    assert 4 not in cache
