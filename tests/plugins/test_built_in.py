"""What is built in is registered under the hooks that plug-ins use."""

import subprocess
import sys

import pytest

from sitecms.plugins.hooks import all_hooks
from sitecms.plugins.site_plugins import BUILT_IN, SitePlugins, resolve
from sitecms.plugins.values import Exporter, Importer


@pytest.mark.parametrize("hook", BUILT_IN)
def test_built_in_parts_have_their_hook(hook: str) -> None:
    """Each is found by name without any plug-in, and every address leads to a function."""
    assert hook in all_hooks()
    parts = SitePlugins().named(hook, "part")
    assert parts
    for part in parts.values():
        if isinstance(part, Importer):
            assert callable(resolve(part.reader))
            assert not part.detect or callable(resolve(part.detect))
        elif isinstance(part, Exporter):
            functions = (part.files, part.address, part.losses, *filter(None, [part.finish]))
            assert all(callable(resolve(each)) for each in functions)
        else:
            assert callable(resolve(part))


def test_reader_is_imported_when_a_source_asks_for_it() -> None:
    """The names of importers and export formats load neither readers nor formats."""
    code = (
        "import sys; from sitecms.plugins.site_plugins import SitePlugins; found = SitePlugins()\n"
        "found.named('importers', ''); found.named('exporters', ''); print(*sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    loaded = {
        name for name in run.stdout.split() if name.startswith(("sitecms.importing.readers.", "sitecms.site.export."))
    }
    assert not any(name.endswith(("wordpress.reader", "ghost.reader", "export.wxr", "export.hugo")) for name in loaded)
    assert "pluggy" not in run.stdout.split()
