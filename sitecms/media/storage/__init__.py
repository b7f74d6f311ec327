"""Where media files are kept: a folder of this machine, or a bucket of object storage with a folder of copies here.

A file is named by its content, so equal names are equal bytes: whoever puts one twice changes nothing, and a copy is
never stale. `local` needs nothing but this; what a bucket takes (`objects`, `client`) is imported with the first one.
"""

from sitecms.media.storage.interface import Storage, Stored, Told
from sitecms.media.storage.local import LocalStorage

__all__ = ["LocalStorage", "Storage", "Stored", "Told"]
