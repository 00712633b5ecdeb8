"""Classes and functions of C++ files, by a scan of their braces."""
import re


def blank(text):
    """The text without comments and the insides of strings; lines stay lines."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.S)
    return pattern.sub(lambda m: '"' + "\n" * m.group().count("\n") + '"' if m.group()[0] in "\"'R" else "\n" * m.group().count("\n"), text)


def blocks(text):
    """(head, body, first line, lines) of everything in braces."""
    stack, last = [], 0
    for i, c in enumerate(text):
        if c == "{":
            stack.append((last, i))
            last = i + 1
        elif c == "}" and stack:
            head, start = stack.pop()
            yield text[head:start], text[start + 1:i], text.count("\n", 0, start) + 1, text.count("\n", start, i)
            last = i + 1
        elif c == ";" and not (stack and text[stack[-1][0]:stack[-1][1]].strip().startswith("for")):
            last = i + 1


NOT_DATA = r"(using|friend|template|enum|static|class|struct|union|virtual|typedef|explicit|operator)\b"


def data_members(body):
    """How many data members a class has of its own."""
    depth, flat = 0, ""
    for c in body:
        if c == "{":
            depth += 1
            flat += "{}" if depth == 1 else ""
        elif c == "}":
            depth -= 1
        elif depth == 0:
            flat += c
    # what ends in a body is no member
    flat = re.sub(r"\)(?:\s|const|noexcept|override|final|:[^;{}]*)*\{\}", "();", flat)
    count = 0
    for statement in flat.split(";"):
        statement = re.sub(r"^(?:\s*(?:public|private|protected)\s*:)+", "", statement).strip()
        bare = statement.replace("{}", "").split("=")[0]
        if not bare or re.match(NOT_DATA, bare):
            continue
        while re.search(r"<[^<>]*>", statement):
            statement = re.sub(r"<[^<>]*>", "", statement)
        if "(" not in statement.split("=")[0]:
            count += len(re.sub(r"=[^,]*", "", statement).split(","))
    return count


def classes_and_functions(text):
    """("class", name, data members) and ("function", line, lines) of a file."""
    for head, body, line, lines in blocks(blank(text)):
        head = re.sub(r"\s+", " ", head).strip()
        name = re.search(r"(?<!enum )\b(?:class|struct) (\w+)[^()=;]*$", head)
        if name:
            yield "class", name.group(1), data_members(body)
        elif "(" in head and not re.search(r"^(namespace|enum)\b|=\s*$", head):
            yield "function", line, lines
