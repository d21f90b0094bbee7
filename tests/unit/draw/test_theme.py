"""Colours can be told apart, by people with any kind of colour sight, and text can be read on them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from deciduous.draw.theme import DARK, GREY, LIGHT, PALETTE, channels, mix

#: How protanopes and deuteranopes see linear RGB (Machado, Oliveira and Fernandes 2009, table 1, severity 1).
SIGHT = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
}


def linear(colour: str) -> np.ndarray:
    c = np.array(channels(colour)) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def oklab(rgb: np.ndarray) -> np.ndarray:
    """The Oklab coordinates of linear RGB (Ottosson 2020)."""
    to_lms = np.array(
        [
            [0.4122214708, 0.5363325363, 0.0514459929],
            [0.2119034982, 0.6806995451, 0.1073969566],
            [0.0883024619, 0.2817188376, 0.6299787005],
        ]
    )
    to_lab = np.array(
        [
            [0.2104542553, 0.7936177850, -0.0040720468],
            [1.9779984951, -2.4285922050, 0.4505937099],
            [0.0259040371, 0.7827717662, -0.8086757660],
        ]
    )
    return np.cbrt(rgb @ to_lms.T) @ to_lab.T


def contrast(first: str, second: str) -> float:
    """The contrast ratio of WCAG 2."""
    light = sorted(float(linear(c) @ (0.2126, 0.7152, 0.0722)) for c in (first, second))
    return (light[1] + 0.05) / (light[0] + 0.05)


@pytest.mark.parametrize("sight", SIGHT)
@pytest.mark.parametrize(("n", "least"), [(7, 0.06), (12, 0.06), (20, 0.06), (32, 0.05)])
def test_classes_have_colours_that_differ(sight: str, n: int, least: float) -> None:
    seen = [oklab(np.clip(linear(colour) @ SIGHT[sight].T, 0, 1)) for colour in PALETTE[:n]]
    assert min(np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2)) > least


@pytest.mark.parametrize("theme", [LIGHT, DARK, GREY])
def test_text_can_be_read_on_every_background(theme) -> None:
    backgrounds = [theme.paper, theme.card, *map(theme.tinted, theme.palette)]
    backgrounds += [theme.tinted(theme.of_number(share)) for share in np.linspace(0, 1, 9)]
    for background in backgrounds:
        assert contrast(theme.ink, background) > 7
        assert contrast(theme.muted, background) > 3.9
    assert contrast(theme.highlight, theme.paper) > 4.5


def test_mixing_goes_from_one_colour_to_the_other() -> None:
    assert [mix("#000000", "#ffffff", share) for share in (0.0, 0.5, 1.0)] == ["#000000", "#808080", "#ffffff"]
