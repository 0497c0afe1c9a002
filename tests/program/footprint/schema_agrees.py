"""Compares `weir footprint` with the schema of MODEL.json: schema_agrees.py WEIR SCHEMA FOLDER MODEL.json…

It uses the malformed models of FOLDER/malformed.json, each with the expected result of the schema, the valid models, and
mutations of them. Exit 77 if there is no jsonschema, 1 if one accepts a model that the other refuses.
"""

import copy
import json
import os
import random
import re
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("no jsonschema here")
    sys.exit(77)

MUTATIONS = 80
# Errors that no schema can express: layers that do not fit each other, sizes beyond the maximum.
SENSE = re.compile(r"input [0-9x]+: (takes|are tokens)|must divide|more than the|what comes in is|would overwrite"
                   r"|half of the kernel|2\^64|too large")
VALUES = [0, 1, 2, 7, -1, 1.0, 2.5, 2**53 - 1, 2**53, "", "ReLU", "float16", True, None, [], [1, 2], [0, 1], {}]


def refusal(weir, model):
    """The program's error message; empty if it accepts the model."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(model, file)
        file.flush()
        run = subprocess.run([weir, "footprint", file.name, "--json", os.devnull], capture_output=True, text=True)
    if run.returncode not in (0, 2) or (run.returncode == 2) != bool(run.stderr):
        raise SystemExit(f"exit {run.returncode}: {run.stderr}\n{json.dumps(model)}")
    return run.stderr.strip()


def objects(value):
    if isinstance(value, (dict, list)):
        if value:
            yield value
        for inner in value.values() if isinstance(value, dict) else value:
            yield from objects(inner)


def mutated(model, dice, fields):
    model = copy.deepcopy(model)
    for _ in range(dice.randint(1, 2)):
        found = list(objects(model))
        if not found:
            break
        target = dice.choice(found)
        key = dice.choice(list(target) if isinstance(target, dict) else range(len(target)))
        way = dice.randrange(2, 4) if isinstance(target, dict) and dice.randrange(2) else dice.randrange(4)
        if way == 0:
            del target[key]
        elif way == 1 and isinstance(target, dict):
            target[dice.choice(fields)] = copy.deepcopy(dice.choice(VALUES))
        elif way == 2 and isinstance(target[key], (bool, int)):
            target[key] = dice.choice((target[key], 1, 2, 3, 2.0))
        else:
            target[key] = copy.deepcopy(dice.choice(VALUES))
    return model


def main(weir, schema_path, folder, *paths):
    with open(schema_path, encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    wrong = 0

    def check(model, what):
        nonlocal wrong
        by_schema, by_weir = validator.is_valid(model), refusal(weir, model)
        agree = by_schema == (not by_weir or bool(SENSE.search(by_weir)))
        if not agree:
            wrong += 1
            print(f"{what}: the schema {'takes' if by_schema else 'refuses'} it, weir says {by_weir or 'nothing'}\n"
                  f"  {json.dumps(model)[:400]}")
        return by_schema, by_weir

    # tests/unit/footprint/model_json_test.cpp tests that weir refuses these, and the messages.
    with open(os.path.join(folder, "malformed.json"), encoding="utf-8") as file:
        malformed = json.load(file)
    for number, case in enumerate(malformed):
        if validator.is_valid(case["model"]) != (case["schema"] == "takes"):
            wrong += 1
            print(f"malformed {number}: not what the schema {case['schema']}\n  {json.dumps(case['model'])[:400]}")

    sound = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            sound.append(json.load(file))
        if check(sound[-1], path)[1]:
            wrong += 1
            print(f"{path}: refused")
    fields = sorted({key for model in sound for value in objects(model) if isinstance(value, dict) for key in value})
    dice = random.Random(20261121)
    refused = 0
    for number in range(MUTATIONS):
        refused += not check(mutated(dice.choice(sound), dice, fields), f"mutation {number}")[0]
    print(f"{len(malformed)} malformed, {len(sound)} sound, {MUTATIONS} mutated ({refused} refused), {wrong} wrong")
    return 1 if wrong or not 0 < refused < MUTATIONS else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
