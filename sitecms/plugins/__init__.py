"""Plug-ins: Python code of owners, found by name and called through pluggy.

Reading order: `hooks` (everything that a plug-in may do: the reference), `values` (what hooks take and return),
`discovery` (from names to modules), `site_plugins` (the plug-ins of one site, and how their hooks are called).
Importing all but `hooks` loads no pluggy, since most sites have no plug-ins. For authors: the chapter *Write a
plug-in*.
"""
