"""Actions of users of the studio on entries, each with its permission: posts, the trash, and failed writes."""
