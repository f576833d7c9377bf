"""The time, and how long ago something was."""

from __future__ import annotations

from datetime import UTC, datetime


def utc_now() -> datetime:
    """The time, in UTC."""
    return datetime.now(UTC)


def when(moment: datetime, now: datetime) -> str:
    """A time as a person says it: minutes and hours ago, then the day."""
    passed = (now - moment).total_seconds()
    if passed < 60:
        return "just now"
    if passed < 3600:
        return f"{int(passed // 60)} min ago"
    if passed < 24 * 3600:
        return f"{int(passed // 3600)} h ago"
    return f"{moment.astimezone():%Y-%m-%d %H:%M}"
