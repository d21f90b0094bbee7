"""What is printed, worked out again by a calculator that knows nothing of the library: from text, LaTeX and MathML."""

import json
import math
import re
import statistics
from collections.abc import Iterable
from typing import Any
from xml.etree import ElementTree

#: A printed calculation: the last expression before the result, and the result as it is printed.
Line = tuple[str, str]


def log(x: float, base: float = 2) -> float:
    return math.log(x, base) if x > 0 else 0.0


def ln(x: float) -> float:
    return math.log(x) if x > 0 else 0.0


def choose(n: float, k: float) -> float:
    return math.exp(math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1))


def largest(*shares: float) -> float:
    return max(shares)  # of one share too


def median(*numbers: float) -> float:
    return statistics.median(numbers)


FUNCTIONS = {
    "log": log,
    "ln": ln,
    "max": largest,
    "sqrt": math.sqrt,
    "choose": choose,
    "order": math.factorial,
    "abs": abs,
    "gamma": math.gamma,
    "median": median,
}


def worked_out(python: str) -> float:
    """Evaluate an expression of numbers, + - * / ** and the functions above."""
    assert re.fullmatch(r"(?:[\d.+*/() ,-]|e-|log|ln|max|sqrt|choose|order|abs|median|gamma)+", python), python
    return float(eval(python, {**FUNCTIONS, "__builtins__": {}}))


def of_text(text: str) -> list[Line]:
    """The calculations of a text: lines of formulas, joined where they go on."""
    lines: list[str] = []
    for line in text.split("\n"):
        if line.startswith("      ") and lines and " = " in lines[-1] + line:
            lines[-1] += " " + line.strip()
        else:
            lines.append(line.strip())
    return with_results(line.split(" = ") for line in lines)


def with_results(formulas: Iterable[list[str]]) -> list[Line]:
    """The formulas that end in a number, given as what their equal signs stand between; small numbers are written as
    1.8e-05, or times a power of ten.
    """
    power = r"(?: ?(?:\\times|\*) ?10(?:\^|\*\*)[({](-\d+)[)}])?"
    found = []
    for *parts, last in formulas:
        number = re.fullmatch(r"(-?[\d.]+(?:e-\d+)?)" + power, last.strip())
        if len(parts) >= 2 and number is not None:
            found.append((parts[-1], number[1] + (f"e{number[2]}" if number[2] else "")))
    return found


def python_of_text(expression: str) -> str:
    number = r"\d+(?:\.\d+)?(?:e-?\d+)?"
    fraction = rf"({number}/{number}|{number})"
    python = re.sub(r"\|([^|]*)\|", r"abs(\1)", expression)
    python = re.sub(r"log2 C\(([^()]*)\)", r"log(choose(\1))", python)
    python = re.sub(r"log2 (\d+)!", r"log(order(\1))", python)
    python = re.sub(r"log2 Gamma\(([\d.]+)\)", r"log(gamma(\1))", python)
    python = re.sub(r"ln ([\d.]+)", r"ln(\1)", python)
    python = re.sub(rf"log2 {fraction}", r"log(\1)", python)
    python = re.sub(r"ln \(", "ln(", re.sub(r"log2 \(", "log(", python))
    python = re.sub(r"(\d) (log|ln)", r"\1 * \2", python)
    return python.replace("×", "*").replace("^", "**")


def python_of_latex(latex: str) -> str:
    """LaTeX of fractions, logarithms, powers and products, as Python."""
    python = re.sub(r"\\left\|(.*?)\\right\|", r"abs(\1)", latex).replace(r"\mathrm{median}", "median")
    python = re.sub(r"\\log_\{2\} \\binom\{(.*?)\}\{(.*?)\}", r"log(choose(\1, \2))", python)
    python = re.sub(r"\\log_\{2\} (\d+)!", r"log(order(\1))", python)
    python = re.sub(r"\\log_\{2\} ([\d.]+)", r"log(\1)", python)
    python = re.sub(r"\\log_\{2\} \\Gamma\(([\d.]+)\)", r"log(gamma(\1))", python)
    python = re.sub(r"(\d) \\ln ([\d.]+)", r"\1 * ln(\2)", python)
    before = ""
    while python != before:  # from the inside out
        before = python
        python = re.sub(r"\\frac\{([^{}]*)\}\{([^{}]*)\}", r"((\1)/(\2))", python)
        python = re.sub(r"\\sqrt\{([^{}]*)\}", r"sqrt(\1)", python)
        python = re.sub(r"\^\{([^{}]*)\}", r"**(\1)", python)
    python = python.replace(r"\left", "").replace(r"\right", "").replace(r"\times", "*").replace(r"\max", "max")
    python = re.sub(r"(\)|\d) (\\log_\{2\}|log|\\ln)", r"\1 * \2", python)
    python = re.sub(r"\\log_\{2\} \(", "log(", python)
    python = re.sub(r"\\log_\{2\} ([\d.]+)", r"log(\1)", python)
    return re.sub(r"\\ln \(", "ln(", python).strip()


def of_latex(document: str, begin: str, end: str) -> list[Line]:
    """The calculations of formulas between two marks, such as dollar signs."""
    found = []
    for formula in re.findall(re.escape(begin) + r"\n(.*?)\n" + re.escape(end), document, re.DOTALL):
        formula = re.sub(r" \\\\\n &\\qquad ", " ", formula).replace(r"\bigl(", "(").replace(r"\bigr)", ")")
        found.append(re.split(r" *(?:\\\\\n)? ?&?(?:\\quad )?= ", formula))
    return with_results(found)


def of_html(page: str) -> list[Line]:
    """The calculations of the formulas of a page, as Python."""
    found = []
    for formula in re.findall(r'<div class="formula">(.*?)</div>', page, re.DOTALL):
        elements = "".join(re.findall(r"<math.*?</math>", formula, re.DOTALL))
        root = ElementTree.fromstring("<div>" + re.sub(r' xmlns="[^"]*"', "", elements) + "</div>")
        python = re.sub(r"\|([\d.e()+-]*)\|", r"abs(\1)", python_of_mathml(root))
        found.append(python.split("="))
    return with_results(found)


def close(value: float, printed: str) -> bool:
    """Whether a number rounds to what is printed: it is within half a unit of the last digit."""
    digits, _, power = printed.partition("e")
    unit = 10.0 ** (int(power or 0) - len(digits.partition(".")[2]))
    return abs(value - float(printed)) <= 0.5 * unit * (1 + 1e-6)


def in_all_forms(shown: Any, lang: str) -> dict[str, list[Line]]:
    """The calculations of a derivation, as Python, in every form that it can be written in."""
    markdown = of_latex(shown.to_markdown(lang), "$$", "$$")
    document = of_latex(shown.to_latex(lang), r"\begin{align*}", r"\end{align*}")
    return {
        "text": [(python_of_text(a), b) for a, b in of_text(shown.to_text(lang))],
        "md": [(python_of_latex(a), b) for a, b in markdown],
        "latex": [(python_of_latex(a), b) for a, b in document],
        "html": of_html(shown.to_html(lang)),
        "json": of_records(json.loads(shown.to_json(lang))),
        "frame": of_records(shown.to_frame().to_dicts()),
    }


def calculations(lines: list[Line]) -> list[Line]:
    """Those that are no comparisons, and no headings that look like one."""
    return [line for line in lines if not re.search(r"[<>≤≥]|\\le(?!ft)|\\ge|alpha", line[0])]


def of_records(values: Any) -> list[Line]:
    """The calculations of plain values: every record with `numbers` and a `result`, its LaTeX as well, as Python."""
    if isinstance(values, list):
        return [line for value in values for line in of_records(value)]
    if not isinstance(values, dict):
        return []
    if "numbers" in values and "result" in values:
        if values["numbers"] is None:
            return []
        text, latex = python_of_text(values["numbers"]), python_of_latex(values["latex"])
        assert math.isclose(worked_out(text), worked_out(latex), rel_tol=1e-9, abs_tol=1e-12), (text, latex)
        return [(text, values["result"])]
    return [line for value in values.values() for line in of_records(value)]


def python_of_mathml(element: ElementTree.Element) -> str:
    children = [python_of_mathml(child) for child in element]
    match element.tag:
        case "mfrac" if element.get("linethickness") == "0":
            return f"choose({children[0]}, {children[1]})"
        case "mfrac":
            return f"(({children[0]})/({children[1]}))"
        case "msup":
            return f"{children[0]}**({children[1]})"
        case "msqrt":
            return f"sqrt({''.join(children)})"
        case "msub":
            return " * log" if "log" in children[0] else "".join(children)
        case "mo" | "mi" | "mn" | "mtext":
            text = (element.text or "").strip()
            return {"×": "*", "−": "-", "\u2061": ""}.get(text, text)
        case _:
            text = "".join(children)
            text = re.sub(r"(^|[(+=-]|- ) \* log", r"\1log", text)
            text = re.sub(r"log(\d+)!", r"log(order(\1))", text)
            text = re.sub(r"logΓ\(([\d.]+)\)", r"log(gamma(\1))", text)
            text = re.sub(r"ln(\d+)(?=[*=]|$)", r"ln(\1)", text)
            text = re.sub(r"log(\d+)", r"log(\1)", text)
            return re.sub(r"(?<=[\d)])ln", " * ln", text)
