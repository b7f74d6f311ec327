"""Load of a site folder into the store: files become the same changes, by the same functions, as requests.

A load loses nothing that a person wrote without a line in the report and a way to restore it:

- A file owns the entries that it was loaded into, and keeps them when it is moved. A file that did not change leaves
  its entries alone, even if they were edited through the API. If a picture that it names changed, edited entries keep
  the former picture, and the report names them.
- A changed file is merged with what was written through the API since it was loaded: what the file said then, which
  the store keeps, says who changed what (`storing.merging`). Where both changed the same, the file wins, the report
  has both values, and the history of the entry the former one.
- A file that names an entry it does not own (a post by its slug, a page by its type and slug, an item by its id) may
  take it over if its content is equal, as that of an exported file. Otherwise it is an error, unless the file has
  `adopt: true` or the load is called with `adopt`: then the former version goes to the trash.
- What the files no longer have (a file that is gone, an item that its file no longer lists) stays and is reported by
  every load; `prune` moves it to the trash, and the report names the entries that were edited through the API.
- Values of fields, page types, collections and locales that are gone stay in the store, and writes through the API keep
  them. The load after such a change reports how many entries hold them; they are shown again after it is undone.
- Authors and terms are names that posts share: files set their data, and the API creates missing ones. They have no
  former versions, and no load removes them.

Reading order: `load` (find changed files), `reading.files` and `reading.prepare_entries` (files to raw entries),
`reading.post_stream` (many posts, read by several processes), `changes` (order of storing), `storing.claim_entries`
(which entries files may change), `storing.store_entries` (entries to rows; all kinds go one way).
"""

from sitecms.actions.loading.load import load_site
from sitecms.actions.loading.report import LoadReport

__all__ = ["LoadReport", "load_site"]
