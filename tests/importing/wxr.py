"""WXR files for tests, made of plain values."""

from collections.abc import Mapping, Sequence

HEAD = """<?xml version="1.0" encoding="UTF-8" ?>
<rss version="2.0" xmlns:excerpt="http://wordpress.org/export/1.2/excerpt/"
 xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:wfw="http://wellformedweb.org/CommentAPI/"
 xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:wp="http://wordpress.org/export/1.2/">
<channel>
<title>Old Tide</title><link>https://old.example</link><description>Notes from the shore</description>
<language>en-US</language><wp:wxr_version>1.2</wp:wxr_version>
<wp:base_site_url>https://old.example</wp:base_site_url><wp:base_blog_url>https://old.example</wp:base_blog_url>
<wp:author><wp:author_id>1</wp:author_id><wp:author_login>ann</wp:author_login>
<wp:author_email>ann@old.example</wp:author_email><wp:author_display_name><![CDATA[Ann Ray]]></wp:author_display_name>
<wp:author_first_name><![CDATA[Ann]]></wp:author_first_name><wp:author_last_name><![CDATA[Ray]]></wp:author_last_name>
</wp:author>
"""
TAIL = "</channel></rss>\n"


def item(
    number: int,
    title: str = "A post",
    content: str = "<p>Text.</p>",
    *,
    kind: str = "post",
    status: str = "publish",
    name: str = "",
    link: str = "",
    local: str = "2012-03-04 10:00:00",
    utc: str = "2012-03-04 09:00:00",
    terms: Sequence[tuple[str, str, str]] = (),
    meta: Mapping[str, str] | None = None,
    extra: str = "",
) -> str:
    """Return one item; `terms` are taxonomy, slug and name."""
    name = name or f"post-{number}"
    link = link or f"https://old.example/2012/03/{name}/"
    domains = "".join(
        f'<category domain="{domain}" nicename="{slug}"><![CDATA[{text}]]></category>' for domain, slug, text in terms
    )
    metas = "".join(
        f"<wp:postmeta><wp:meta_key>{key}</wp:meta_key><wp:meta_value><![CDATA[{value}]]></wp:meta_value></wp:postmeta>"
        for key, value in (meta or {}).items()
    )
    return f"""<item><title>{title}</title><link>{link}</link><pubDate>Sun, 04 Mar 2012 09:00:00 +0000</pubDate>
<dc:creator><![CDATA[ann]]></dc:creator><guid isPermaLink="false">https://old.example/?p={number}</guid>
<description></description><content:encoded><![CDATA[{content}]]></content:encoded>
<excerpt:encoded><![CDATA[]]></excerpt:encoded><wp:post_id>{number}</wp:post_id><wp:post_date>{local}</wp:post_date>
<wp:post_date_gmt>{utc}</wp:post_date_gmt><wp:post_name>{name}</wp:post_name><wp:status>{status}</wp:status>
<wp:post_parent>0</wp:post_parent><wp:post_type>{kind}</wp:post_type>{domains}{metas}{extra}</item>
"""


def export(*items: str, channel: str = "") -> str:
    """Return a whole file."""
    return HEAD + channel + "".join(items) + TAIL
