"""Reference chapters of the manual, made from the code; `sitecms manual` adds them to those in the package.

Each module describes one part of the code from what that part declares, so that the manual cannot disagree with the
version it belongs to.
"""
