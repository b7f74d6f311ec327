"""Plug-ins that come with sitecms and need a program that a site may not have: a site enables them by name."""
