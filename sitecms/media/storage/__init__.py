"""Storage of media files: a folder of this machine, or a bucket of object storage with local copies.

A file is named by its content, so equal names mean equal bytes: storing one twice changes nothing, and a copy is never
stale. What a bucket needs (`bucket`, `s3_client`) is imported when a bucket is first used.
"""

from sitecms.media.storage.interface import FileProgress, Storage, StoredFile
from sitecms.media.storage.local import LocalStorage

__all__ = ["FileProgress", "LocalStorage", "Storage", "StoredFile"]
