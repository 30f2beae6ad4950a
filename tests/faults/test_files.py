"""Study files that are wrong are refused before the first trial, with the file and the key."""

import pytest

GOOD = """\
[study]
name = "study"
direction = "minimize"
trials = 3
storage = "study.journal"

[command]
run = ["sh", "-c", "touch ran; echo 1", "trial", "{x}"]

[space]
x = { type = "int", low = 0, high = 99 }
"""
RUN = '["sh", "-c", "touch ran; echo 1", "trial", "{x}"]'
X = 'x = { type = "int", low = 0, high = 99 }'
KIND = 'kind = { type = "categorical", choices = ["a", "b"] }'


def put(old, new, text=GOOD):
    assert old in text
    return text.replace(old, new)


def study(line):
    """One more line under [study]."""
    return put("trials = 3", f"trials = 3\n{line}")


def command(line):
    """One more line, or section, after [command]."""
    return put("[space]", f"{line}\n[space]")


def x(parameter):
    return put(X, f"x = {{ {parameter} }}")


CHILD = put('"{x}"', '"{x}{kind}"', put("[space]", f"[space]\n{KIND}"))  # a study with two parameters
SYSTEM = "__import__('os').system('touch ran')"

# what is wrong: the file, and words that its refusal must hold
REFUSED = {
    "not TOML": (put("trials = 3", "trials = = 3"), ["line 4"]),
    "a key twice": (study("trials = 4"), ["line 5"]),
    "an unknown section": (put("[command]", "[comand]"), ["comand", "command"]),
    "an unknown key": (put("trials = 3", "trails = 3"), ["study", "trails", "trials"]),
    "an unknown key of a parameter": (put("high =", "hihg ="), ["x", "hihg", "high"]),
    "an unknown type": (put('"int"', '"itn"'), ["x", "itn", "int"]),
    "an unknown direction": (put('"minimize"', '"minimise"'), ["direction", "minimise", "minimize"]),
    "an unknown recipe": (study('recipe = "atuo"'), ["recipe", "atuo", "auto"]),
    "an unknown pruner": (study('pruner = "medain"'), ["pruner", "medain", "median"]),
    "an unknown kind of storage": (put('"study.journal"', '"mongodb://a/b"'), ["storage", "mongodb"]),
    "a number as text": (put("trials = 3", 'trials = "three"'), ["trials", "three"]),
    "a truth as a number": (put("trials = 3", "trials = true"), ["trials"]),
    "no trials": (put("trials = 3", "trials = 0"), ["trials", "0"]),
    "no workers": (study("workers = 0"), ["workers", "0"]),
    "time without sense": (command('time_limit = "soon"'), ["time_limit", "soon"]),
    "memory without sense": (command('memory_limit = "lots"'), ["memory_limit", "lots"]),
    "no space": (put(X, "", put(', "{x}"', "")), ["space"]),
    "bounds reversed": (x('type = "int", low = 9, high = 0'), ["x", "low", "9"]),
    "a bound missing": (x('type = "int", high = 99'), ["x", "low"]),
    "the logarithm of zero": (x('type = "int", low = 0, high = 99, log = true'), ["x", "log"]),
    "a choice that no argument can hold": (x('type = "categorical", choices = ["a", "b\\u0000"]'), ["x"]),
    "no command": (put(f"run = {RUN}", ""), ["command", "run"]),
    "an empty command": (put(RUN, "[]"), ["run"]),
    "a command as text": (put(RUN, '"sh {x}"'), ["run", "list"]),
    "a placeholder without a parameter": (put('"{x}"', '"{x}", "{y}"'), ["run", "y"]),
    "a parameter that is never used": (put("[space]", f"[space]\n{KIND}"), ["kind"]),
    "an unknown value rule": (command('[value]\nread = "jsno"'), ["read", "jsno", "json"]),
    "an unreadable value rule": (command('[value]\nread = "regex"\npattern = "("'), ["pattern", "("]),
    "an incomplete value rule": (command('[value]\nread = "regex"'), ["pattern"]),
    "a condition on nothing": (put("high = 99", "high = 99, when = { kidn = [1] }"), ["x", "kidn"]),
    "a condition that never holds": (put("high = 99", 'high = 99, when = { kind = ["c"] }', CHILD), ["x", "kind", "c"]),
    "a constraint on nothing": (study('constraints = ["y < 3"]'), ["constraints", "y"]),
    "a constraint that is a program": (study(f'constraints = ["{SYSTEM}"]'), ["constraints"]),
    "a first configuration outside": (study("initial = [{ x = 100 }]"), ["initial", "x", "100"]),
    "a first configuration with a stranger": (study("initial = [{ x = 1, y = 2 }]"), ["initial", "y"]),
}


def check_refused(scene, file, words):
    auger = scene.run("tune", file, code=2)
    assert auger.stdout == ""
    missing = [word for word in words if word not in auger.stderr]
    assert not missing, f"not in the refusal: {missing}\n{auger}"
    assert "Traceback" not in auger.stderr
    assert not (scene.folder / "ran").exists(), "a trial has run"
    assert not (scene.folder / "study.journal").exists(), "a study was made"


@pytest.mark.parametrize("case", REFUSED)
def test_a_wrong_study_file_is_refused_with_its_name_and_the_key(scene, case):
    text, words = REFUSED[case]
    file = scene.folder / "my-study.toml"
    file.write_text(text)
    check_refused(scene, file, [file.name, *words])


def test_a_study_file_that_is_no_text_is_refused(scene):
    file = scene.folder / "my-study.toml"
    file.write_bytes(GOOD.encode().replace(b"study.journal", b"\xff\xfe"))
    check_refused(scene, file, [file.name])


def test_a_study_file_that_is_not_there_is_refused(scene):
    check_refused(scene, scene.folder / "my-study.toml", ["my-study.toml"])


def test_a_program_that_is_not_there_is_refused_with_the_key(scene):
    file = scene.folder / "my-study.toml"
    file.write_text(put('"sh"', '"no-such-program"'))
    check_refused(scene, file, ["[command]", "run", "no-such-program"])


def test_the_file_that_all_of_these_were_made_from_is_right(scene):
    file = scene.folder / "my-study.toml"
    file.write_text(GOOD)
    scene.run("tune", file)
    assert (scene.folder / "ran").exists()
