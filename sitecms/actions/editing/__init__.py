"""Actions of users of the studio on entries, media and names, each with its permission: from the form to the trash."""
