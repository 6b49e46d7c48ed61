#!/usr/bin/env python3
"""Asks a second validator about every witness that the tests wrote.

A line of a file is {"old": schema, "new": schema, "witness": document, "accepted_by": "old" or "new"}.
"""

import json
import sys

import jsonschema

DRAFTS = {
    "draft-04": jsonschema.Draft4Validator,
    "draft-06": jsonschema.Draft6Validator,
    "draft-07": jsonschema.Draft7Validator,
    "draft/2019-09": jsonschema.Draft201909Validator,
    "draft/2020-12": jsonschema.Draft202012Validator,
}
# Newer drafts only say a format.
JUDGE_FORMATS = ("draft-04", "draft-06", "draft-07")


def has_boolean_bounds(schema):
    if isinstance(schema, dict):
        bounds = (schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum"))
        if any(isinstance(bound, bool) for bound in bounds):
            return True
        return any(has_boolean_bounds(inner) for inner in schema.values())
    if isinstance(schema, list):
        return any(has_boolean_bounds(inner) for inner in schema)
    return False


def draft_of(schema):
    named = schema.get("$schema") if isinstance(schema, dict) else None
    if named is None:
        return "draft-04" if has_boolean_bounds(schema) else "draft-07"
    return next(draft for draft in DRAFTS if f"/{draft}/" in named)


def accepts(schema, document):
    draft = draft_of(schema)
    validator = DRAFTS[draft]
    validator.check_schema(schema)
    checker = validator.FORMAT_CHECKER if draft in JUDGE_FORMATS else None
    return validator(schema, format_checker=checker).is_valid(document)


def confirmed(case):
    by_old = accepts(case["old"], case["witness"])
    by_new = accepts(case["new"], case["witness"])
    return (by_old, by_new) == ((True, False) if case["accepted_by"] == "old" else (False, True))


def main(paths):
    right, wrong = 0, []
    for path in paths:
        with open(path, encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                if confirmed(json.loads(line)):
                    right += 1
                else:
                    wrong.append(f"{path}:{number}: {line.strip()}")
    for line in wrong:
        print(line, file=sys.stderr)
    print(f"{right} witnesses confirmed, {len(wrong)} not")
    return 1 if wrong or right == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
