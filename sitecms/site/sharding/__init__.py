"""Builds on several machines: each renders a shard of the pages of a site, and one of them finishes.

Reading order: `shard` (numbers and folders), `render_shard` (the partition, and one shard), `shard_manifest` (the
contents of a shard's folder, and the pages that the build that finishes takes).

Every machine plans the whole site, which is fast beside rendering, and renders its part. The build that finishes is an
ordinary one: it plans too, and takes a page from a shard only if the fingerprints are equal. It renders all other pages
itself, so a shard can be out of date without harm. Assets, media, the search index, compressed copies, pruning and
publishing are its own.

Time and memory, for posts of about 500 words in archives of ten, 1.7 pages a post, measured in one run on two shared
cores (memory: proportional sizes of all processes; four shards, one after the other):

    posts                          1,000     10,000     100,000
    one build                      77 MB     126 MB      417 MB
    a shard of four                62 MB      96 MB      311 MB
    the build that finishes        55 MB      95 MB      373 MB
    one build, seconds               1.0        7.3       110.5
    a shard of four, seconds         0.3        3.5        20.8
    the build that finishes          0.4        3.4        20.4
    output, files and folders      3,663     34,267     340,300
    output, MB                        12        109       1,083
    manifest, MB                     0.2        1.5        15.4

Time, memory, disk and inodes are linear in the number of posts: for a million, one build uses about 4 GB, the output
has 3.4 million inodes and 11 GB, and the folders of the generation before have as many inodes again. Shards divide the
rendering only. Each still reads the store and plans (about a minute for each million posts) and holds 2.5 GB of posts
and plan. The build that finishes reads and writes every file once, makes the search index (Pagefind reads all pages
after each change) and the compressed copies.

Up to 100,000 posts one machine is enough. Up to a few million use shards on machines of 8 GB each, with
`search.enabled` off or a machine that has hours for it, copies compressed by the server, a file system with enough
inodes, the output and its work folder on one local disk. Beyond that divide the site: one site folder for each locale
or section.
"""
