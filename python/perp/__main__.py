"""The perp program within Python: python -m perp [--import FILE]... VERB ...

--import runs a Python file first, so that the solvers it registers are known to the verb."""
import runpy
import sys
import traceback

import perp
from perp import _perp, extending


def fault_of(error: Exception, file: str) -> str:
    """One line: the file, the line in it at which the error arose, and the error."""
    if isinstance(error, SyntaxError):
        return f"{file}: line {error.lineno}: {error.msg}"
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    at = f"line {lines[-1]}: " if lines else ""
    return f"{file}: {at}{type(error).__name__}: {error}".replace("\n", " ")


def main() -> int:
    words = sys.argv[1:]
    while words and words[0].split("=", 1)[0] == "--import":
        words[:1] = words[0].split("=", 1)
        if len(words) < 2:
            print("perp: --import: no file is given", file=sys.stderr)
            return 2
        extending.imported = words[1]
        try:
            runpy.run_path(words[1], init_globals={"perp": perp})
        except OSError as error:
            print(f"perp: {words[1]}: cannot be read ({error.strerror})", file=sys.stderr)
            return 2
        except Exception as error:  # whatever the file raises
            print(f"perp: {fault_of(error, words[1])}", file=sys.stderr)
            return 2
        finally:
            extending.imported = ""
        words = words[2:]
    return _perp.run_command(words)


if __name__ == "__main__":
    sys.exit(main())
