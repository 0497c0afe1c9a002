#!/usr/bin/env python3
"""symbols.py SHARED_LIBRARY HEADERS[:HEADERS] OBJECTS... --apart HEADER...: a shared libweir exports exactly the public API.

A symbol belongs to the public API if its own name was declared with WEIR_API, and every name of weir in it, including
those of its parameters, is in a public header. OBJECTS, the layers' archives, have all candidates: if a
function of namespace weir is only in the archives, it lacks its WEIR_API. A HEADER that is apart belongs to a component
with its own library. It also must not need libhwy: see src/base/machine/vector_sets.hpp.
"""

import pathlib
import re
import subprocess
import sys

SPECIAL = re.compile(r"^(vtable for|typeinfo for|typeinfo name for|VTT for) ")


def symbols(arguments, kinds):
    """Demangled names of the given kinds of nm."""
    out = subprocess.run(["nm", "--demangle", "--defined-only", *arguments], check=True, capture_output=True,
                         text=True).stdout
    lines = (line.split(" ", 2) for line in out.splitlines())
    # A versioned symbol is NAME@@VERSION. The version's own symbol is absolute.
    return {parts[2].split("@@")[0] for parts in lines if len(parts) == 3 and parts[1] in kinds}


def words_of_headers(paths, apart):
    """Every name in the headers, and the names declared with WEIR_API."""
    words, shown = set(), set()
    for header in (header for path in paths for header in ([path] if path.is_file() else path.glob("*.hpp"))):
        if header.name in {"export.hpp", *apart}:  # the first defines WEIR_API
            continue
        code = re.sub(r"//[^\n]*", "", header.read_text())
        words.update(re.findall(r"\w+", code))
        shown.update(re.findall(r"\b(?:class|struct) WEIR_API (\w+)", code))
        shown.update(re.findall(r"\bWEIR_API (?!class|struct)[^;{(]*?(\w+)(?:<\w+>|==)?\(", code))
    return words, shown


def own_name(symbol):
    """weir::Batch::size() const -> Batch; weir::layer::to_string(...) -> to_string; None: not a name of weir."""
    match = re.match(r"(?:[\w:]+ )?weir::(?:layer::)?(\w+)", SPECIAL.sub("", symbol))
    return match[1] if match else None


def is_public(symbol, words):
    """True if every name of weir in it is in a public header."""
    return all(name in words for name in re.findall(r"\bweir::(\w+)", symbol))


def needs_highway(library):
    out = subprocess.run(["readelf", "--dynamic", "--wide", library], check=True, capture_output=True, text=True).stdout
    return "libhwy" in out


def main(library, headers, objects, apart):
    words, shown = words_of_headers(headers, apart)
    exported = symbols(["--dynamic", library], "TWVDBRu")
    wrong = [s for s in exported if own_name(s) not in shown or not is_public(s, words)]
    # A header may name a layer's namespace in a forward declaration. The layer's contents are not public.
    layers = re.compile(r"^(?:[\w:]+ )?weir::(?!layer::)[a-z]\w*::")
    candidates = symbols(objects, "TDBR")
    missing = [s for s in candidates - exported
               if own_name(s) in words and is_public(s, words) and not layers.match(s)]
    silent = [name for name in shown if not any(re.search(rf"\b{name}\b", s) for s in exported)]
    for title, names in (("shown, but not of the public API", wrong), ("public, but not shown (WEIR_API?)", missing),
                         ("WEIR_API, but nothing of it is there", silent)):
        for name in sorted(names):
            print(f"{title}: {name}")
    if needs_highway(library):
        print("needs libhwy, whose initialiser ends a program under valgrind")
        return 1
    if not exported or wrong or missing or silent:
        return 1
    print(f"{len(exported)} symbols, all of the public API; {len(shown)} names")
    return 0


if __name__ == "__main__":
    at = sys.argv.index("--apart")
    folders = [pathlib.Path(folder) for folder in sys.argv[2].split(":")]
    sys.exit(main(sys.argv[1], folders, sys.argv[3:at], sys.argv[at + 1:]))
