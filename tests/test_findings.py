"""Findings of check, verify, doctor and status."""

from sitecms.findings import Finding, Severity, count_findings, error, ok, warning


def test_text_names_place_severity_problem_remedy_and_kind() -> None:
    """A finding without a place begins with its kind; one that is repaired has no remedy."""
    finding = Finding(Severity.ERROR, "link-broken", "leads nowhere", "change it", "title", "content/x.md", 12)
    assert str(finding) == "content/x.md:12 title: error: leads nowhere (change it) [link-broken]"
    assert str(finding.repaired()) == "content/x.md:12 title: error: leads nowhere (repaired) [link-broken]"
    assert str(warning("disk", "0.8 GB free", "free some space")) == "disk: warning: 0.8 GB free (free some space)"
    assert str(ok("clock", "steady")) == "clock: ok: steady"


def test_repaired_findings_do_not_count() -> None:
    """Each severity has its own count."""
    findings = [error("a", "x", "y"), error("b", "x", "y").repaired(), warning("c", "x", "y"), ok("d", "x")]
    assert [count_findings(findings, severity) for severity in Severity] == [1, 1, 1]
