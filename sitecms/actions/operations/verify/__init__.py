"""Integrity check of everything that a site keeps, and repair of what can be derived again.

Reading order: `finding` (the kinds of findings), `verify` (the steps), `checks` (content and media).
"""

from sitecms.actions.operations.verify.finding import VerifyKind
from sitecms.actions.operations.verify.verify import VerifyReport, verify_store

__all__ = ["VerifyKind", "VerifyReport", "verify_store"]
