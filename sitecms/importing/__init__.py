"""Import of other systems' sites: records of a reader become files of a site folder, which `sitecms load` reads.

    source -> reader -> records -> catalogue -> plan -> texts -> media -> files, state, report

`run` is the recipe. Only readers depend on the format of a source; all other modules work on records.

- `source`: the given files, folders and archives as one list of named files, opened within limits.
- `readers`: one module or folder for each kind of source, named in `readers.importers`.
- `records`: the neutral values that readers yield; its docstring lists the forms of addresses in texts.
- `plan`: slugs, files, addresses, permalinks, authors, terms, redirects and texts of the new site.
- `html`: HTML as a tree: cleaned, its addresses replaced, written as Markdown if nothing is lost.
- `media`: originals of resized pictures, the queue of downloads, local copies.
- `static_files`: files that the old site published as they are, for `static/`.
- `write`: files that never replace what a person edited, and the state `imports/<name>.json`.
- `formats`: XML with repairs, times and time zones, values serialised by PHP.

How to write a reader
---------------------
A module in `readers` has a function `detect(source)`, which looks at names and beginnings of files and returns whether
it can read the source, and a name `reader`, its class (`reader.Reader`). Name it in `readers.importers`, the more
special before the more general. The class has two methods:

- `read(source, options)` yields records in any order, once, and keeps no bodies: they go to a temporary file. Give
  each entry a `key` that stays the same over runs (`ghost:<uuid>`, `md:<path>`), its `place` for the report, its
  `old_url`, and its dates as aware times (`formats.times.read_time`, `infer_zone`). Set `status` to the
  public status on the old site, and `hidden_as` where an entry was private, for members, or pending. Yield a `Note`
  for each unknown key and each skipped file. Yield `Site` with at least the old address, if the source contains it.
- `finish(entry, lookup)` is called for each entry after all records are known, in forked processes. It returns the
  entry with its body in HTML or Markdown (`records.Format`), shortcodes resolved. Links may stay as they were, relative
  ones too: the planner resolves them against `entry.base` or `entry.old_url`. A reader that has the target
  writes `entry:KEY`, `media:KEY` or `source:PATH` as the address. A reader without work here returns the entry.

A reader does not read SITE, does not write, and reaches the network only by `options.fetch`. It raises InvalidRequest
with file and line for what it cannot read at all. It never passes on passwords, hashes, keys, e-mail addresses of
people who commented, and IP addresses. It yields a `StaticFile` for each file that was published as it is. Media need
a `Media` record only if more is known than their address: a file in the source, an alternative text, an attachment's
page. Tests stand in tests/importing/readers, with fixtures of their own.
"""
