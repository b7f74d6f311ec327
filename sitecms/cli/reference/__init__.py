"""The manual as a site folder: the chapters in the package, and reference chapters made from the code.

`chapters` copies the folder and adds the chapters of the other modules. Each of them describes one part of the code
from what that part declares, so that the manual cannot disagree with the version it belongs to.
"""
