"""The type of the callback to which long work reports its progress."""

from collections.abc import Callable
from typing import TypeAlias

Progress: TypeAlias = Callable[[str, int, int], None]
"""Called with the phase's name, the steps done and the steps in all."""
