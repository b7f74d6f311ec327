"""Messages of the lower layers, which speak English: those that the studio translates. Others stay as they are."""

from sitecms.studio.texts import N_, _

MESSAGES = frozenset(
    {
        # Accounts
        N_("The name or the password is wrong."),
        N_("The code is wrong, or was used already. Wait for the next one."),
        N_("Sign in again: the code was asked for too long ago, or too many codes were wrong."),
        N_("This is not your password."),
        N_("This password is easy to guess. Four or more unrelated words are a good one."),
        N_("This is not the current code. Look whether the clock of your device is right."),
        N_("There is no such session; it may have ended."),
        N_("This link is not known here: it is incomplete, or was withdrawn."),
        N_("This link was used already; each link works once."),
        N_("There would be no admin left. Give another user the role admin first."),
        N_("Choose a time that has not passed yet."),
        # Entries
        N_("This field is required."),
        N_("This field may not be blank."),
        N_("Enter a valid URL: http or https."),
        N_("It does not exist any more, or you may not see it."),
        N_("The post has a text in this language already."),
        N_("Somebody else changed the entry, or the fields that it may have, since you opened it."),
        N_("Readers see the post as it is here. Change it before you choose a time to publish the changes."),
        N_("The address changes when you publish; to schedule the other changes, change it back."),
        N_("These changes are going to be published at a time that an editor set. Ask an editor to change them."),
        N_("Choose a time that has passed. To publish it later, schedule it."),
        N_("The date changes when you publish; to save a draft or schedule it, change the date back."),
        # Media, names and reviews
        N_("It is the same file: nothing was replaced."),
        N_("Somebody else changed the author since you opened the form."),
        N_("Somebody else changed it since you opened the form."),
        N_("Choose somebody who may publish it."),
        N_("This does not wait for a review any more."),
        N_("Write something."),
        N_("There is no such note any more."),
        # The site
        N_("Somebody else changed the menu meanwhile. Nothing was saved; open it again."),
        N_("Another process writes files of the site now. Nothing was changed; try again in a moment."),
        N_("It was undone already."),
    }
)


def message_text(message: str) -> str:
    """Return the translation of one of the messages; another one unchanged."""
    return _(message) if message in MESSAGES else message
