"""The language of headers and pages: "where" is a place and never "if"; lines of pages can be read beside each other."""
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from tree import ROOT, run  # noqa: E402

WHERE = re.compile(r"\bwhere\b", re.I)
# The right uses: a place in space, in a file or in memory; the head of a table; the name of a field.
RIGHT = re.compile("|".join((
    "points? where", "places? where", "where it comes from", "where (?:the )?problems? comes? from", "where problems come from",
    "where an instance comes from", "on where perp and the collection", "where a file stands", "where they come to rest",
    "name tell where", "where the bodies of a scene are", "where it meets the floor", "where the rows begin",
    "where its columns of L begin", "where an unknown of an lcp or mlcp stands", "stays where it was", "where steep",
    "where this is defined", "where to go on", r"\| where \|", "`where`", '"where"', "std::string where;", "& where,",
    "kind, where;", "#where-problems-come-from", "where all solvers start")), re.I)


def tracked(*endings):
    names = run("git", "ls-files", cwd=ROOT).stdout.split("\n")
    if names == [""]:  # no clone
        names = [path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*")
                 if not path.relative_to(ROOT).parts[0] == "build" and "node_modules" not in path.parts]
    return [ROOT / name for name in names
            if name.endswith(endings) and not re.match(r"results/\d{4}-", name) and (ROOT / name).is_file()]


def prose(path):
    """The lines of a page without what is generated and what is code, others empty in their places."""
    text = path.read_text()
    if path.suffix == ".md":
        # What is made of published runs has the words of their day; lists and help are the program's of today.
        blank = lambda match: "\n" * match.group(0).count("\n")  # noqa: E731
        text = re.sub(r"^<!-- made: (?!end|settings|options|list|help).*?^<!-- made: end -->$", blank, text, flags=re.S | re.M)
        text = re.sub(r"^ *```.*?^ *```$", blank, text, flags=re.S | re.M)
    return text.split("\n")


def wrong_wheres(lines):
    """Numbers of lines with a "where" that is none of the right ones; a phrase may begin on the line before."""
    wrong = []
    for number, line in enumerate(lines, 1):
        before, after = (lines[n].strip(" /*") if 0 <= n < len(lines) else "" for n in (number - 2, number))
        whole = f"{before} {line.strip(' /*')} {after}"
        begin = len(before) + 1
        for match in WHERE.finditer(whole):
            if not begin <= match.start() < begin + len(line.strip(" /*")) + 1:
                continue
            if not any(right.start() <= match.start() < right.end() for right in RIGHT.finditer(whole)):
                wrong.append(number)
    return wrong


class Language(unittest.TestCase):
    def test_where_is_a_place(self):
        files = tracked(".hpp", ".h", ".md")
        self.assertGreater(len(files), 300)
        for path in files:
            wrong = wrong_wheres(prose(path))
            self.assertEqual(wrong, [], f"{path.relative_to(ROOT)}: \"where\" that means \"if\", or is not in the list")

    def test_the_rule_finds_what_it_forbids(self):
        for line in ("/// @throws InputError where the file is missing", "Null where there is none.",
                     "w = Mz + q, where M is a matrix", "/// true where a and b are equal", "It is exact where M is symmetric."):
            self.assertEqual(wrong_wheres([line]), [1], line)
        for line in ("The point where two bodies touch.", "It says where it comes from.", "| where | printed | here |"):
            self.assertEqual(wrong_wheres([line]), [], line)

    def test_lines_of_pages_are_no_longer_than_120(self):
        for path in tracked(".md"):
            for number, line in enumerate(prose(path), 1):
                if not line.startswith(("|", "<!-- made: ")):  # a row of a table is one line
                    self.assertLessEqual(len(line), 120, f"{path.relative_to(ROOT)}:{number}")


if __name__ == "__main__":
    unittest.main()
