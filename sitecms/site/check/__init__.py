"""Checking a site before it is published: what `sitecms check` finds.

Reading order: `recipe` (the steps), `finding` (what one finding says), `pages` (reading a rendered page), then the
rules: `links`, `heads`, `content`, `slugs`, `media`, `remote`.
"""

from sitecms.site.check.check import CheckOptions, CheckReport, check_site, report_of
from sitecms.site.check.finding import Finding, Kind, Severity

__all__ = ["CheckOptions", "CheckReport", "Finding", "Kind", "Severity", "check_site", "report_of"]
