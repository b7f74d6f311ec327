"""Originals of resized pictures, and paths below media/."""

import pytest

from sitecms.importing.media.needed_media import media_path, originals


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (
            "https://x.example/wp-content/uploads/2012/01/a-300x200.jpg",
            "https://x.example/wp-content/uploads/2012/01/a.jpg",
        ),
        ("https://x.example/wp-content/uploads/a-scaled.jpg", "https://x.example/wp-content/uploads/a.jpg"),
        ("https://x.example/wp-content/uploads/a.jpg?w=300&h=200", "https://x.example/wp-content/uploads/a.jpg"),
        ("https://blog.files.wordpress.com/2012/01/a.jpg?w=640", "https://blog.files.wordpress.com/2012/01/a.jpg"),
        ("https://x.example/content/images/size/w600/2020/a.png", "https://x.example/content/images/2020/a.png"),
        ("https://cdn-images-1.medium.com/max/1600/1*abc.png", "https://cdn-images-1.medium.com/1*abc.png"),
        (
            "https://substackcdn.com/image/fetch/w_600,f_auto/https%3A%2F%2Fs3.example%2Fa.png",
            "https://s3.example/a.png",
        ),
        (
            "https://i0.wp.com/x.example/wp-content/uploads/a-30x20.jpg?ssl=1",
            "https://x.example/wp-content/uploads/a.jpg",
        ),
    ],
)
def test_the_original_is_preferred(url: str, expected: str) -> None:
    """Sizes in the name, the query and the path are removed."""
    assert originals(url)[0] == expected


@pytest.mark.parametrize("url", ["https://x.example/pics/a-300x200.jpg", "https://x.example/a.php?w=300"])
def test_other_addresses_stay(url: str) -> None:
    """Only known hosts and paths have sizes in their addresses."""
    assert originals(url) == ()


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("https://x.example/wp-content/uploads/2012/01/My%20Sea%20(1).jpg", "2012/01/My-Sea-1.jpg"),
        ("https://x.example/wp-content/uploads/sites/3/2012/a.jpg", "2012/a.jpg"),
        ("https://x.example/content/images/2020/01/a.png", "2020/01/a.png"),
        ("source:static/img/../../etc/passwd", "static/img/etc/passwd"),
        ("https://x.example/wp-content/uploads/%E6%B5%B7.jpg", "海.jpg"),
        ("https://x.example/", "file"),
    ],
)
def test_the_path_of_the_upload_is_kept(address: str, expected: str) -> None:
    """Names are readable, without signs that need escapes, and inside of media/."""
    assert media_path(address) == expected
