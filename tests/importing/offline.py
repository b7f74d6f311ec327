"""Options of imports whose media are not downloaded; files of the source itself are taken."""

from sitecms.importing.media.collector import MediaChoice, MediaOptions

OFFLINE = MediaOptions(MediaChoice.SKIP)
