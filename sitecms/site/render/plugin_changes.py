"""Changes of rendered pages by plug-ins: the HTML, and additions to its head."""

from collections.abc import Mapping

from sitecms.plugins.site_plugins import SitePlugins
from sitecms.plugins.values import RenderedPage
from sitecms.site.plan.plan import PageJob
from sitecms.site.theme.plugin_names import HEAD_ADDITIONS, PAGE_RENDERED, is_page

_HEAD_END = "</head>"


def changed_page(plugins: SitePlugins, job: PageJob, data: bytes) -> bytes:
    """Return a page as the plug-ins leave it. Raises PluginFailed."""
    if not plugins.plugins or not is_page(job.template):
        return data
    html = data.decode()

    def page(text: str) -> Mapping[str, RenderedPage]:
        return {"page": RenderedPage(job.path, job.template, job.shows, text)}

    added = "".join(str(addition) for _, addition in plugins.results(HEAD_ADDITIONS, **page(html)))
    before, end, after = html.partition(_HEAD_END)
    html = f"{before}{added}{end}{after}" if end else html
    return plugins.changed(PAGE_RENDERED, html, page).encode("utf-8", "replace")
