"""symbols.py LIBRARY HEADER: the library exports exactly the functions that the header marks."""
import pathlib
import re
import subprocess
import sys

listed = subprocess.run(["nm", "--dynamic", "--defined-only", sys.argv[1]], check=True, capture_output=True, text=True).stdout
exported = {line.split()[2].split("@")[0] for line in listed.splitlines() if line.split()[1] != "A"}
declared = set(re.findall(r"(?m)^WEIR_C_API [\w* ]+?\*?(\w+)\(", pathlib.Path(sys.argv[2]).read_text()))
for name in sorted(exported ^ declared):
    print(f"{name}: {'exported, but not declared' if name in exported else 'declared, but not exported'}")
print(f"{len(exported)} symbols")
sys.exit(0 if declared and exported == declared else 1)
