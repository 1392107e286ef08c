"""Writes docs/coverage.md: what the package has, and how it compares with PyTorch where that was measured.

    python tools/write_coverage.py [--opinfo RESULT.json] [--modules RESULT.json]

Operators, modules, optimizers and schedulers are read off the package itself; an operator's family is the file of
csrc/bindings that binds it. The results come from a run of PyTorch's own databases of operators and modules
(torch.testing._internal): a list `subjects`, each with `name`, `kind` and, by phase, an `outcome` and `counts`.
"""

from __future__ import annotations

import argparse
import json
import re
from collections import Counter, defaultdict
from pathlib import Path

ROOT = Path(__file__).parent.parent
OUT = 8  # the form that takes `out=`, as in csrc/bindings/bind.h
# Worst first: what several measured variants of one operator are summed up as.
OUTCOMES = ("missing", "crash", "timeout", "error", "wrong", "close", "bits", "skipped")
PREFIXES = {"_VariableFunctions": "", "_nn": "nn.functional.", "_linalg": "linalg.", "_special": "special."}


def families() -> dict[str, str]:
    """Operator to family: the file that binds it, by its signature or by a row of a table."""
    found: dict[str, str] = {}
    texts = {path.stem: path.read_text() for path in sorted((ROOT / "csrc/bindings").glob("*.cpp"))}
    texts["pointwise"] += (ROOT / "csrc/ops/pointwise_rows.h").read_text()
    for pattern in (r'"(\w+)\(', r'"(\w+)"', r"\((\w+)[,)]"):
        for stem, text in texts.items():
            for name in re.findall(pattern, text):
                found.setdefault(name, stem)
    return found


def operators() -> dict[str, dict]:
    """Operator to its namespace and forms, without in-place names."""
    from flambeau import _C

    found: dict[str, dict] = {}
    spaces = {space: vars(getattr(_C, space)) for space in PREFIXES} | {"Tensor": vars(_C.TensorBase)}
    methods = spaces["Tensor"]
    everything = {name for names in spaces.values() for name in names}
    for space, names in spaces.items():
        for name, operator in names.items():
            signatures = getattr(operator, "_signatures", None)
            if signatures is None or name.startswith("_") or name.endswith("_") and name[:-1] in everything:
                continue
            entry = found.setdefault(name, {"space": space, "forms": set()})
            entry["forms"].add("method" if space == "Tensor" else "function")
            if f"{name}_" in methods:
                entry["forms"].add("in-place")
            if any(forms & OUT for _, _, forms, _ in signatures):
                entry["forms"].add("out=")
    return found


def torch_name(name: str, space: str) -> str:
    """`special_expit` as users write it: special.expit."""
    prefix = PREFIXES.get(space, "Tensor.")
    return prefix + re.sub(r"^(linalg|special)_", "", name)


def measured_names(name: str, shown: str) -> tuple[str, ...]:
    """The names under which an operator may have been measured."""
    return shown, name, f"nn.functional.{name}"


def read_outcomes(path: Path | None) -> dict[str, dict[str, str]]:
    """Measured name to phase to worst outcome."""
    if path is None:
        return {}
    worst: dict[str, dict[str, str]] = defaultdict(dict)
    for subject in json.loads(path.read_text())["subjects"]:
        name = re.sub(r"\[.*|^nn\.(?=[A-Z])|^optim\.", "", subject["name"])
        for phase, result in subject["phases"].items():
            known = worst[name].get(phase, "skipped")
            worst[name][phase] = min(known, result["outcome"], key=OUTCOMES.index)
    return worst


def summary(what: str, outcomes: dict[str, dict[str, str]]) -> list[str]:
    phases: dict[str, Counter] = defaultdict(Counter)
    for by_phase in outcomes.values():
        for phase, outcome in by_phase.items():
            phases[phase][outcome] += 1
    lines = ["| measured | " + " | ".join(OUTCOMES[:-1]) + " | of |", "| --- |" + " ---: |" * len(OUTCOMES)]
    for phase, counts in phases.items():
        row = [str(counts[outcome]) for outcome in OUTCOMES[:-1]]
        lines.append(f"| {what}, {phase} | " + " | ".join(row) + f" | {sum(counts.values()) - counts['skipped']} |")
    return lines


def operator_tables(found: dict[str, dict], outcomes: dict[str, dict[str, str]]) -> list[str]:
    by_family = defaultdict(list)
    family = families()
    for name in sorted(found):
        by_family[family.get(name, "others")].append(name)
    lines = []
    for title in sorted(by_family):
        lines += ["", f"### {title}", "", "| operator | forms | forward | backward |", "| --- | --- | --- | --- |"]
        for name in by_family[title]:
            shown = torch_name(name, found[name]["space"])
            measured = next((outcomes[n] for n in measured_names(name, shown) if n in outcomes), {})
            forms = ", ".join(sorted(found[name]["forms"]))
            lines.append(f"| `{shown}` | {forms} | {measured.get('forward', '')} | {measured.get('backward', '')} |")
    return lines


def composites(found: dict[str, dict], outcomes: dict[str, dict[str, str]]) -> list[str]:
    """Measured names that are no native operator: functions in Python, and what is missing."""
    native = {n for name, entry in found.items() for n in measured_names(name, torch_name(name, entry["space"]))}
    rest = {name: by_phase for name, by_phase in outcomes.items() if name not in native}
    missing = sorted(name for name, by_phase in rest.items() if by_phase.get("forward") == "missing")
    lines = ["", "### In Python, or under another name", "", "| function | forward | backward |", "| --- | --- | --- |"]
    for name in sorted(rest.keys() - set(missing)):
        lines.append(f"| `{name}` | {rest[name].get('forward', '')} | {rest[name].get('backward', '')} |")
    return [*lines, "", "### Missing", "", ", ".join(f"`{name}`" for name in missing) + "."]


def classes(module, base: type) -> list[str]:
    return sorted(
        name
        for name, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, base) and value is not base and not name.startswith("_")
    )


def class_table(names: list[str], outcomes: dict[str, dict[str, str]], phases: tuple[str, ...]) -> list[str]:
    if not any(name in outcomes for name in names):
        return [", ".join(f"`{name}`" for name in names) + "."]
    lines = ["| class | " + " | ".join(phases) + " |", "| --- |" + " --- |" * len(phases)]
    for name in names:
        lines.append(f"| `{name}` | " + " | ".join(outcomes.get(name, {}).get(phase, "") for phase in phases) + " |")
    return lines


def write(opinfo: Path | None, modules: Path | None) -> str:
    from flambeau import nn, optim

    found = operators()
    measured, trained = read_outcomes(opinfo), read_outcomes(modules)
    layers = classes(nn, nn.Module)
    optimizers = classes(optim, optim.Optimizer)
    schedulers = classes(optim.lr_scheduler, optim.lr_scheduler.LRScheduler)
    options = "".join(f" --{name} {name}.json" for name, path in (("opinfo", opinfo), ("modules", modules)) if path)
    forms = Counter(form for entry in found.values() for form in entry["forms"])
    lines = [
        f"<!-- Generated by `python tools/write_coverage.py{options}`; do not edit. -->",
        "# Coverage",
        "",
        f"{len(found)} operators ({forms['function']} as functions, {forms['method']} as methods, "
        f"{forms['in-place']} in place, {forms['out=']} with `out=`), {len(layers)} modules, "
        f"{len(optimizers)} optimizers, {len(schedulers)} schedulers.",
    ]
    if measured or trained:
        lines += [
            "",
            "Measured against PyTorch 2.13.0 on PyTorch's own databases of operators, modules and optimizers, in "
            "float32, at most ten samples each, on an AMD machine with AVX-512. *bits*: every sample identical; "
            "*close*: within the tolerances of `torch.testing`. An operator has the worst outcome of its samples and "
            "variants.",
            "",
            *summary("operators", measured),
            *summary("classes", trained)[2:],
        ]
    lines += ["", "## Operators", *operator_tables(found, measured)]
    if measured:
        lines += composites(found, measured)
    lines += ["", "## Modules", "", *class_table(layers, trained, ("init", "forward", "backward"))]
    lines += ["", "## Optimizers", "", *class_table(optimizers, trained, ("weights",))]
    lines += ["", "## Schedulers", "", *class_table(schedulers, {}, ())]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--opinfo", type=Path, help="measured operators")
    parser.add_argument("--modules", type=Path, help="measured modules and optimizers")
    options = parser.parse_args()
    text = write(options.opinfo, options.modules)
    (ROOT / "docs/coverage.md").write_text(text)
    print(text.splitlines()[3])


if __name__ == "__main__":
    main()
