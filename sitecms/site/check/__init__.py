"""Checks of a site before it is published (`sitecms check`).

Reading order: `check` (the steps), `finding` (kinds of findings), `pages` (parsing of rendered pages, and rules for
them), `links`, `content` and `remote_links` (further rules), `entries` (entries of the store with their files).
"""

from sitecms.site.check.check import CheckOptions, CheckReport, check_site, report_of
from sitecms.site.check.finding import CheckKind

__all__ = ["CheckKind", "CheckOptions", "CheckReport", "check_site", "report_of"]
