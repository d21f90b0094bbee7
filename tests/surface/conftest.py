"""One Chromium for all tests that look at something in a browser."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.drawings import CHROMIUM


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium without a window, as Playwright has it; skipped where either is absent."""
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=str(CHROMIUM), args=["--no-sandbox", "--disable-gpu"])
        yield chromium
        chromium.close()
