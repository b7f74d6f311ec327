"""Hold everything that a site keeps against everything else, and mend what can be made anew.

Reading order: `finding` (what may be wrong), `recipe` (the order of looking), then one module a kind of thing.
"""

from sitecms.actions.operations.verify.finding import Finding, FindingKind
from sitecms.actions.operations.verify.verify import VerifyReport, verify_store

__all__ = ["Finding", "FindingKind", "VerifyReport", "verify_store"]
