"""One name, one type: a program has one definition of each class, struct and enumeration with external linkage.

Two of them with one name in two files compile and link, and are undefined behaviour all the same. The scanner knows
namespaces, nested types and anonymous namespaces; names in these, and within functions, belong to their file.
"""
import collections
import pathlib
import re
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from tree import ROOT, sources  # noqa: E402

TOKEN = re.compile(r"""//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'|\w+|::|[{}();<>=,\[\]]|\S|\n[ \t]*\#[^\n]*""", re.S)
ATTRIBUTES = {"final", "alignas", "public", "private", "protected", "virtual"}


def tokens(text):
    text = re.sub(r"\\\n", " ", text)
    for match in TOKEN.finditer("\n" + text):
        token = match.group()
        if not token.startswith(("//", "/*", "#", "\n")):
            yield token


def head_name(words):
    """(kind, name) of what a '{' behind these words opens: a namespace, a type, or something else."""
    while "template" in words[:1]:  # its parameters, which may hold the word class
        depth, end = 0, 1
        for end in range(1, len(words)):
            depth += (words[end] == "<") - (words[end] == ">")
            if depth == 0:
                break
        words = words[end + 1:]
    if "namespace" in words:
        rest = [w for w in words[words.index("namespace") + 1:] if w != "inline"]
        return "namespace", "".join(rest)
    for word in ("class", "struct", "union", "enum"):
        if word in words:
            break
    else:
        return "other", ""
    if "(" in words or "=" in words:
        return "other", ""  # a function that returns a struct, or a lambda
    rest = words[words.index(word) + 1:]
    if word == "enum" and rest[:1] in (["class"], ["struct"]):
        rest = rest[1:]
    name = []
    for w in rest:
        if w in ATTRIBUTES or not re.fullmatch(r"\w+|::|<|>|,", w) or w == ":":
            break
        name.append(w)
    return "type", "".join(name)


def definitions(text):
    """Qualified names of the types that a file defines with external linkage."""
    scopes, words, found = [], [], []  # scopes: (kind, name)
    for token in tokens(text):
        if token == "{":
            kind, name = head_name(words)
            inside = all(k in ("namespace", "type") for k, _ in scopes)
            hidden = any(k == "namespace" and not n for k, n in scopes) or (kind == "namespace" and not name)
            if kind == "type" and name and inside and not hidden:
                found.append("::".join([n for _, n in scopes] + [name]))
            scopes.append((kind, name))
            words = []
        elif token == "}":
            if scopes:
                scopes.pop()
            words = []
        elif token == ";":
            words = []
        else:
            words.append(token)
    return found


def duplicates(paths):
    places = collections.defaultdict(list)
    for path in paths:
        for name in definitions(path.read_text()):
            places[name].append(str(path.relative_to(ROOT)))
    # Twice in one file is the compiler's to refuse, or two branches of an #if.
    return {name: files for name, files in places.items() if len(set(files)) > 1}, places


class Names(unittest.TestCase):
    def test_the_scanner_finds_what_it_should(self):
        text = """
            // class InAComment {
            namespace perp {
            enum class ContactMode { kOpen, kStick };
            template <class T, class U> struct Pair { struct Inner { int a = 0; }; };
            class Solver final : public Base<int> { enum class Step { kDone }; void f() { struct Local {}; } };
            struct Declared;
            struct Outer::Hidden { int x; };
            namespace { struct Private {}; }
            inline std::string text() { return "struct InAString {"; }
            }"""
        self.assertEqual(sorted(definitions(text)), sorted([
            "perp::ContactMode", "perp::Pair", "perp::Pair::Inner", "perp::Solver", "perp::Solver::Step",
            "perp::Outer::Hidden"]))

    def test_every_type_is_defined_once(self):
        found, places = duplicates(list(sources()))
        for known in ("perp::ContactMode", "perp::LocalContactCase", "perp::Solver", "perp::SparseLu::Handle",
                      "perp::Articulation::Tree", "perp::peer::Solver"):
            self.assertIn(known, places)
        self.assertGreater(len(places), 200)
        self.assertEqual(found, {})

    def test_tests_define_none_anew(self):
        programs = [list((ROOT / "tests" / folder).glob("*.cpp")) for folder in ("fast", "full", "allocation")]
        shared = list((ROOT / "tests").glob("*.hpp"))
        for program in programs:
            found, _ = duplicates(list(sources()) + shared + program)
            self.assertEqual(found, {})


if __name__ == "__main__":
    unittest.main()
