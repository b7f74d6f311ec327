"""A site built on several machines: each makes a shard of its pages, and one of them finishes.

Reading order: `shard`, `division` (who makes what), `make_shard`, `sheet` (what a shard leaves), `derived` (what is
handed on of images), `gathered` (what is taken).

Every machine plans the whole site, which is pure and fast beside rendering, and renders its part. The build that
finishes is an ordinary one: it plans too, and takes a page from a shard only under the very fingerprint that it would
render it for. What no shard has, or has otherwise, it renders itself; so a shard can be late, never wrong. Assets,
media, further steps (search, compressed copies), pruning and publishing are its own.

What grows with what, for posts of about 500 words in archives of ten, 1.7 pages a post, measured in one run on two
shared cores (memory: proportional sizes of all processes; four shards, one after the other):

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

Time, memory, disk and inodes grow with the posts, in a straight line: at a million, one build holds about 4 GB, an
output has 3.4 million inodes and 11 GB, beside as many inodes again of folders for the generation before. More shards
divide the rendering alone. What each still does whole, for each million posts: read the store and plan (about a
minute), and hold 2.5 GB of posts and plan. Finishing reads and writes every file once and takes no less than that;
search (Pagefind reads all pages at each change) and compressed copies are made there by one machine.

So, up to 100,000 posts one machine is enough. Up to a few million, shards on machines of 8 GB each, `search.enabled`
off or on a machine that has hours, copies compressed by the server; a file system with inodes to spare, the output and
its work folder on one local disk. Beyond that the plan itself would have to be divided, and the site with it: one site
folder for each locale or section.
"""
