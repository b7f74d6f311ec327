"""Edits of files: nothing that changed after the plan was made is replaced."""

from pathlib import Path

import pytest

from sitecms.actions.syncing.edits import Edit, NotWritten, Plan, carry_out

PLANNED, OTHER = "content/posts/calm.md", "content/posts/ebb.md"


@pytest.mark.parametrize("after", [b"new", None])
@pytest.mark.parametrize("now", [b"typed meanwhile", None])
def test_file_that_changed_meanwhile_stays(tmp_path: Path, after: bytes | None, now: bytes | None) -> None:
    """It stays as somebody left it, and so do the other files of the plan."""
    (tmp_path / OTHER).parent.mkdir(parents=True)
    (tmp_path / OTHER).write_bytes(b"old")
    if now is not None:
        (tmp_path / PLANNED).write_bytes(now)
    plan = Plan((Edit(OTHER, b"old", b"new"), Edit(PLANNED, b"old", after)), keep_as="post-1")
    with pytest.raises(NotWritten, match="changed on disk"):
        carry_out(tmp_path, tmp_path / ".sitecms", plan)
    assert (tmp_path / OTHER).read_bytes() == b"old"
    assert ((tmp_path / PLANNED).read_bytes() if now is not None else None) == now
    assert (tmp_path / PLANNED).exists() is (now is not None)
