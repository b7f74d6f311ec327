"""Examination of a machine, and of a site on it, for problems. Changes nothing."""

from sitecms.actions.operations.doctor.doctor import examine_machine, examine_site

__all__ = ["examine_machine", "examine_site"]
