"""The perp program within Python: python -m perp [--import FILE]... VERB ...

--import runs a Python file first, so that the solvers it registers are known to the verb."""
import runpy
import sys

import perp
from perp import _perp, extending


def main() -> int:
    words = sys.argv[1:]
    while words[:1] == ["--import"]:
        if len(words) < 2:
            print("perp: --import: no file is given", file=sys.stderr)
            return 2
        extending.imported = words[1]
        try:
            runpy.run_path(words[1], init_globals={"perp": perp})
        except OSError as error:
            print(f"perp: {words[1]}: cannot be read ({error.strerror})", file=sys.stderr)
            return 2
        finally:
            extending.imported = ""
        words = words[2:]
    return _perp.run_command(words)


if __name__ == "__main__":
    sys.exit(main())
