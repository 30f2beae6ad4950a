"""The report: one HTML file about a run, for any browser, without a network."""

from auger.report.report import make_page, report_html, write_report

__all__ = ["make_page", "report_html", "write_report"]
