"""The themes of sitecms: what tests of looks run over."""

from sitecms.settings.theme_folder import theme_places

THEMES = tuple(theme_places(None))
