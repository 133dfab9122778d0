"""Profiles: built in, from the environment, from a file that never holds a secret."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from workbench.client.errors import ProfileError
from workbench.profiles import Profile, cache_folder, config_folder, data_folder, load_profiles

WORK = Profile("work", "hosted", base_url="https://api.example.org", mcp_url="https://api.example.org/mcp")


@pytest.fixture(autouse=True)
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in list(os.environ):
        if name.startswith("WORKBENCH_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("WORKBENCH_CONFIG", str(tmp_path / "config"))
    monkeypatch.setenv("WORKBENCH_DATA", str(tmp_path / "data"))
    return tmp_path


def test_local_and_sample_are_always_there(house: Path) -> None:
    profiles = load_profiles()
    assert profiles.names == ("local", "sample")
    assert profiles.current == profiles.get("local") == Profile("local", "embedded", data=house / "data" / "local")
    assert profiles.get("sample") == Profile("sample", "embedded", data=house / "data" / "sample", sample=True)
    assert f"{profiles.current}" == "local"
    assert not (house / "config").exists()


def test_folders_come_from_the_environment_or_the_system(house: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (data_folder(), config_folder(), cache_folder()) == (house / "data", house / "config", house / "data" / "cache")
    for name in ("WORKBENCH_CONFIG", "WORKBENCH_DATA"):
        monkeypatch.delenv(name)
    for folder in (data_folder(), config_folder(), cache_folder()):
        assert folder.is_absolute()
        assert "workbench" in folder.parts


def test_what_is_put_is_saved_and_read_again(house: Path) -> None:
    profiles = load_profiles()
    archive = Profile("archive", "embedded", data=house / "archive", sample=True)
    profiles.put(WORK)
    profiles.put(archive)
    profiles.choose("work")
    profiles.save()
    again = load_profiles()
    assert again.names == ("local", "sample", "archive", "work")
    assert again.current == again.get("work") == WORK
    assert again.get("archive") == archive
    assert [path.name for path in (house / "config").iterdir()] == ["profiles.toml"]
    assert (house / "config" / "profiles.toml").stat().st_mode & 0o077 == 0
    again.remove("work")
    again.save()
    assert load_profiles().current.name == "local"


def test_fields_of_a_later_version_stay_in_the_file(house: Path) -> None:
    (house / "config").mkdir()
    file = house / "config" / "profiles.toml"
    file.write_text('theme = "dark"\ncurrent = "sample"\n', encoding="utf-8")
    profiles = load_profiles()
    assert profiles.current.name == "sample"
    profiles.put(WORK)
    profiles.save()
    assert 'theme = "dark"' in file.read_text(encoding="utf-8")


def test_the_environment_alone_makes_a_profile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORKBENCH_BASE_URL", "https://env.example.org")
    monkeypatch.setenv("WORKBENCH_MCP_URL", "https://env.example.org/mcp")
    profiles = load_profiles()
    assert profiles.current == Profile("environment", "hosted", "https://env.example.org", "https://env.example.org/mcp")
    assert "environment" in profiles.names
    monkeypatch.setenv("WORKBENCH_PROFILE", "sample")
    assert load_profiles().current.name == "sample"


def test_an_unknown_profile_is_answered_with_those_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ProfileError, match=r"no profile 'lcoal'\. Did you mean 'local'\? There are: local, sample\."):
        load_profiles().get("lcoal")
    monkeypatch.setenv("WORKBENCH_PROFILE", "gone")
    with pytest.raises(ProfileError, match="gone"):
        _ = load_profiles().current


@pytest.mark.requirement("AUTH-8")
@pytest.mark.parametrize("field", ["api_key", "API_KEY", "token", "password", "secret"])
def test_a_key_in_the_file_is_refused_and_not_shown(house: Path, field: str) -> None:
    (house / "config").mkdir()
    text = f'[profiles.work]\nbase_url = "https://api.example.org"\n{field} = "canary-4f1d7c0a9b"\n'
    (house / "config" / "profiles.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ProfileError, match="workbench login") as caught:
        load_profiles()
    assert "canary" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "[profiles",
        "profiles = 3",
        "[profiles]\nwork = 1",
        "[profiles.work]\n",
        '[profiles.work]\nbase_url = "http://api.example.org"',
        '[profiles."../x"]\nbase_url = "https://h"',
        '[profiles.local]\nbase_url = "https://h"',
        '[profiles.work]\nkind = "embedded"',
        '[profiles.work]\nbase_url = "https://h"\nmcp_url = "ftp://h"',
    ],
)
def test_a_file_that_makes_no_sense_is_one_sentence_with_its_name(house: Path, text: str) -> None:
    (house / "config").mkdir()
    (house / "config" / "profiles.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ProfileError, match=r"profiles\.toml"):
        load_profiles()


def test_a_file_that_is_no_text_or_a_folder_is_one_sentence(house: Path) -> None:
    (house / "config").mkdir()
    (house / "config" / "profiles.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ProfileError, match="no text"):
        load_profiles()
    (house / "config" / "profiles.toml").unlink()
    (house / "config" / "profiles.toml").mkdir()
    with pytest.raises(ProfileError, match="Could not read"):
        load_profiles()


def test_what_cannot_be_put_or_removed_is_refused(house: Path) -> None:
    profiles = load_profiles()
    for profile in (
        Profile("local", "hosted", base_url="https://h"),
        Profile("", "hosted", base_url="https://h"),
        Profile("a/b", "hosted", base_url="https://h"),
        Profile("x" * 41, "hosted", base_url="https://h"),
        Profile("x", "hosted"),
        Profile("x", "embedded"),
        Profile("x", "hosted", base_url="http://10.0.0.1"),
        Profile("x", "hosted", base_url="https://u:p@h"),
    ):
        with pytest.raises(ProfileError):
            profiles.put(profile)
    for name in ("local", "gone"):
        with pytest.raises(ProfileError, match="no stored profile"):
            profiles.remove(name)
    (house / "config").write_text("in the way", encoding="utf-8")
    with pytest.raises(ProfileError, match="Could not write"):
        profiles.save()
