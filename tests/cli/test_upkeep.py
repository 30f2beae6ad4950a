"""`auger rm`, `auger clean` and `auger tune --fresh`: what is removed, and what stays."""

import json
import shutil
import subprocess
import sys

import pytest
from support.command_line import auger, inside, write_study
from support.processes import wait_until

from auger.errors import StorageError, StudyError
from auger.studies.definition.study_file import tomllib


@pytest.fixture(params=["small.journal", "sqlite:///small.db"])
def folder(request, tmp_path):
    """Where a study of three trials was run."""
    write(tmp_path, storage=request.param)
    assert inside("tune", "small.toml", cwd=tmp_path).exit_code == 0
    return tmp_path


def write(folder, *, storage="small.journal", name="small", trials=3, **options):
    path = write_study(folder, trials=trials, name=name, **options)
    path.write_text(path.read_text().replace("[study]", f'[study]\nstorage = "{storage}"'))


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def best(folder, *where):
    return json.loads(inside("best", *where, "--json", cwd=folder).stdout)


def test_rm_says_what_it_removes_and_leaves_the_study_file(folder):
    (folder / "small.trials" / "0" / "model.bin").write_bytes(bytes(2_000_000))
    run = inside("rm", "small.toml", "--yes", cwd=folder)
    assert run.exit_code == 0 and files(folder) == ["small.toml"]
    assert "3 trials." in run.stderr and "3 trial folders in small.trials (2 MB)" in run.stderr
    assert inside("tune", "small.toml", cwd=folder).exit_code == 0


def test_rm_of_one_of_several_studies_leaves_the_others(folder):
    storage = next(name for name in files(folder) if name in {"small.journal", "small.db"})
    address = storage if storage.endswith("journal") else f"sqlite:///{storage}"
    write(folder, storage=address, name="other")
    assert inside("tune", "other.toml", cwd=folder).exit_code == 0
    assert inside("rm", address, "other", "--yes", cwd=folder).exit_code == 0
    assert storage in files(folder) and "other.trials" not in files(folder)
    assert best(folder, "small.toml")["number"] in range(3)
    with pytest.raises(StudyError, match="no study 'other'"):
        inside("rm", "other.toml", "--yes", cwd=folder)


@pytest.mark.parametrize("command", ["rm", "clean"])
def test_without_anybody_to_ask_nothing_is_removed(tmp_path, command):
    write(tmp_path)
    inside("tune", "small.toml", cwd=tmp_path)
    before = files(tmp_path)
    run = auger(command, "small.toml", cwd=tmp_path, stdin=subprocess.DEVNULL)
    assert run.returncode == 2 and "--yes" in run.stderr and files(tmp_path) == before
    assert len(files(tmp_path / "small.trials")) == 3


def test_rm_of_a_study_that_is_not_there_removes_and_creates_nothing(tmp_path):
    write(tmp_path)
    with pytest.raises(StorageError, match="no storage"):
        inside("rm", "small.toml", "--yes", cwd=tmp_path)
    assert files(tmp_path) == ["small.toml"]


@pytest.mark.parametrize("arguments", [["rm", "small.toml", "--yes"], ["tune", "small.toml", "--fresh"]])
def test_a_study_that_somebody_works_on_is_neither_removed_nor_begun_anew(tmp_path, arguments):
    write(tmp_path, script="while [ ! -e gate ]; do sleep 0.05; done; echo $1")
    command = [sys.executable, "-m", "auger", "tune", "small.toml"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as process:
        wait_until((tmp_path / "small.trials" / "0" / "stdout").exists)
        run = auger(*arguments, cwd=tmp_path)
        (tmp_path / "gate").touch()
        assert process.wait() == 0
    assert run.returncode == 2 and f"process {process.pid} on" in run.stderr
    assert best(tmp_path, "small.toml")["number"] in range(3)


def test_clean_deletes_trial_folders_but_not_that_of_the_best_and_no_result(folder):
    before = inside("trials", "small.toml", "--csv", cwd=folder).stdout
    for number in range(3):
        (folder / "small.trials" / str(number) / "model.bin").write_bytes(bytes(500_000))
    run = inside("clean", "small.toml", "--yes", cwd=folder)
    assert run.exit_code == 0 and "Deleted 2 trial folders, 1 MB. All results are kept." in run.stderr
    assert files(folder / "small.trials") == [str(best(folder, "small.toml")["number"])]
    assert inside("trials", "small.toml", "--csv", cwd=folder).stdout == before
    assert "no trial folders to delete" in inside("clean", "small.toml", cwd=folder).stderr
    assert "Done: 5 trials" in inside("tune", "small.toml", "--trials", 5, cwd=folder).stderr


@pytest.mark.parametrize("command", ["clean", "rm"])
def test_no_link_is_followed(folder, command):
    trials, elsewhere = folder / "small.trials", folder / "elsewhere"
    first, second = {0, 1, 2} - {best(folder, "small.toml")["number"]}
    (trials / str(first)).rename(elsewhere)
    before = files(elsewhere)
    (trials / str(first)).symlink_to(elsewhere)
    (trials / str(second) / "link").symlink_to(elsewhere)
    assert inside(command, "small.toml", "--yes", cwd=folder).exit_code == 0
    assert files(elsewhere) == before and (trials / str(first)).is_symlink() and not (trials / str(second)).exists()


def test_clean_keeps_the_folder_of_a_trial_whose_result_was_not_stored_yet(tmp_path):
    write(tmp_path, script="while [ ! -e gate ]; do sleep 0.05; done; echo $1")
    command = [sys.executable, "-m", "auger", "tune", "small.toml"]
    with subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.DEVNULL, start_new_session=True) as process:
        wait_until((tmp_path / "small.trials" / "0" / "stdout").exists)
        process.kill()
    inside("clean", "small.toml", "--yes", cwd=tmp_path)
    assert files(tmp_path / "small.trials") == ["0"]
    (tmp_path / "gate").touch()
    assert "kept as small-1" in inside("tune", "small.toml", "--fresh", cwd=tmp_path).stderr
    assert json.loads(inside("status", "small.journal", "small-1", "--json", cwd=tmp_path).stdout)["running"] == 1


def test_fresh_begins_anew_even_in_another_space_and_keeps_the_old_study(folder):
    address = tomllib.loads((folder / "small.toml").read_text())["study"]["storage"]
    old, rows = best(folder, "small.toml"), inside("trials", "small.toml", "--csv", cwd=folder).stdout
    write(folder, storage=address, high=2, script="echo $(($AUGER_TRIAL + 5))")
    run = inside("tune", "small.toml", "--fresh", cwd=folder)
    assert run.exit_code == 0 and "[1/3] trial 0  5 " in run.stderr and "kept as small-1" in run.stderr
    assert best(folder, address, "small-1") == old
    assert inside("trials", address, "small-1", "--csv", cwd=folder).stdout == rows
    assert (folder / "small.trials-1" / "0" / "stdout").read_text() == "0.75\n"
    assert (folder / "small.trials" / "0" / "stdout").read_text() == "5\n"
    again = inside("tune", "small.toml", "--fresh", cwd=folder)
    assert "kept as small-2" in again.stderr and best(folder, address, "small-1") == old


def test_in_a_copy_of_a_project_the_original_keeps_its_trial_folders(tmp_path):
    (tmp_path / "original").mkdir()
    write(tmp_path / "original")
    inside("tune", "small.toml", cwd=tmp_path / "original")
    shutil.copytree(tmp_path / "original", tmp_path / "copy")
    inside("tune", "small.toml", "--fresh", cwd=tmp_path / "copy")
    inside("clean", "small.toml", "--yes", cwd=tmp_path / "copy")
    inside("rm", "small.toml", "--yes", cwd=tmp_path / "copy")
    assert files(tmp_path / "copy") == ["small.journal", "small.journal.turn", "small.toml", "small.trials-1"]
    assert files(tmp_path / "original" / "small.trials") == ["0", "1", "2"]


def test_fresh_without_a_study_is_a_usual_start(tmp_path):
    write(tmp_path)
    run = inside("tune", "small.toml", "--fresh", cwd=tmp_path)
    assert run.exit_code == 0 and "Done: 3 trials" in run.stderr and "kept as" not in run.stderr


def test_folders_of_a_study_of_the_same_name_in_another_storage_stay(tmp_path):
    write(tmp_path, storage="a.journal")
    inside("tune", "small.toml", cwd=tmp_path)
    write(tmp_path, storage="b.journal", trials=2)
    inside("tune", "small.toml", "--seed", 1, cwd=tmp_path)  # its trials 0 and 1 take over the folders
    assert "2 trial folders in small.trials" in inside("rm", "a.journal", "--yes", cwd=tmp_path).stderr
    assert files(tmp_path / "small.trials") == ["1"]  # 0 was of the defaults in both, and cannot be told apart


def test_after_a_fresh_start_without_a_file_what_is_printed_names_the_study(tmp_path):
    command = ("tune", "--float", "x=0:1", "--trials", 1, "--name", "p", "--", "echo", "{x}")
    inside(*command, cwd=tmp_path)
    run = inside(*command[:5], "--fresh", *command[5:], cwd=tmp_path)
    assert "auger tune p.journal --name p." in run.stderr and "Next: auger report p.journal p\n" in run.stderr
