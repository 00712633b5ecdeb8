"""What results/publish and results/make-docs share: published runs, and their tables as Markdown."""
import html
import json
import pathlib
import re

RESULTS = pathlib.Path(__file__).resolve().parent
ROOT = RESULTS.parent


def cell(text):
    return text.replace("|", "\\|").replace("\n", " ")


def markdown(head, rows, text_columns=1):
    """A table; all columns but the first ones are aligned to the right."""
    lines = ["| " + " | ".join(map(cell, head)) + " |",
             "|" + "|".join("---" if k < text_columns else "---:" for k in range(len(head))) + "|"]
    return "\n".join(lines + ["| " + " | ".join(map(cell, row)) + " |" for row in rows]) + "\n"


def table_text(table):
    text = markdown(table["head"], table["rows"])
    for note in (table["caption"], table["missing"] and f"Missing: {table['missing']}."):
        if note:
            text += f"\n{note.strip()}\n"
    return text


def claims_text(claims):
    keys = ("claim", "experiment", "measured", "verdict")
    return markdown(keys, [[claim[key] for key in keys] for claim in claims["claims"]], len(keys))


def source(about, stem, up):
    machine = about["machine"]
    return (f"Made from [{stem}]({up}results/{stem}.md): `{about['command']}`, {machine['cpu']}, {machine['cores']} cores, "
            f"{machine['compiler']}.\n")


def newest(study):
    """The newest published run of a study: what it tells of itself, and its file's stem."""
    found = sorted(RESULTS.glob(f"????-??-??-{study}.json"))
    if not found:
        raise LookupError(f"there is no results/DATE-{study}.json")
    return json.loads(found[-1].read_text(encoding="utf-8")), found[-1].stem


def svg_of(page, title):
    """The drawing with this title in a page as a browser has it, as a file of its own."""
    for svg in re.findall(r"<svg[^>]*>.*?</svg>", page, re.S):
        if f'aria-label="{html.escape(title)}"' in svg.split(">", 1)[0]:
            return (svg if "xmlns=" in svg.split(">", 1)[0] else svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)) + "\n"
    raise LookupError(f'there is no figure "{title}"')


def report_figure(stem, title):
    """The drawing of a published report with this title. Pages of older runs hold their drawings themselves."""
    figures = json.loads((RESULTS / f"{stem}.json").read_text(encoding="utf-8")).get("figures", {})
    return figures[title] if title in figures else svg_of((RESULTS / f"{stem}.html").read_text(encoding="utf-8"), title)
