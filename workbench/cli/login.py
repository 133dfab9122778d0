"""``workbench login`` and ``logout``: the key of a hosted service into the system's key store, and out of it again."""

from __future__ import annotations

import os
import sys
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from workbench.cli.failures import ExitCode, Failure, WrongUse
from workbench.cli.output import clean, put, put_json, say
from workbench.cli.progress import announce_pause
from workbench.cli.session import JsonOption, ProfileOption, choice

if TYPE_CHECKING:
    from pydantic import SecretStr

    from workbench.contract.account import CallerContext, KeyInfo
    from workbench.profiles import Profile, Profiles

KEY_BYTES_MAX: Final = 4096
IN_THE_OPEN: Final = (
    "A key does not go on the command line, where the shell's history and the list of processes show it: what stands there now "
    "is known to others. Have the key re-generated, then run `workbench login` and type it when asked, or pipe it into "
    "`workbench login --key-stdin`."
)


def login(
    context: typer.Context,
    in_the_open: Annotated[str | None, typer.Option("--api-key", "--key", hidden=True)] = None,
    base_url: Annotated[
        str | None, typer.Option("--base-url", metavar="URL", help="The service's address, for a profile that is new or moves.")
    ] = None,
    mcp_url: Annotated[
        str | None, typer.Option("--mcp-url", metavar="URL", help="The address of its tool server, if it has one.")
    ] = None,
    key_stdin: Annotated[bool, typer.Option("--key-stdin", help="Read the key from standard input instead of asking.")] = False,
    json_: JsonOption = False,
    profile: ProfileOption = None,
) -> None:
    """Store the API key of a hosted service in the system's key store, once the service has accepted it.

    The key is asked for without being shown, checked with two calls, stored and read back. Logging in again replaces it.
    Without --profile a new profile is named after the service's host. Nothing is ever written in plain text.
    """
    if context.args or in_the_open is not None:
        raise WrongUse(IN_THE_OPEN)
    from workbench.profiles import load_profiles

    known = load_profiles()
    existing, wanted = _wanted(known, choice(context, profile, None).profile, base_url, mcp_url)
    before = _stored_before(wanted)
    key = _key_from_stdin() if key_stdin else _typed_key(wanted)
    caller, info = _checked(wanted, key)
    report = _keep(known, existing, wanted, key, before) | {"caller": caller.to_wire(), "apiKey": info.to_wire()}
    if json_:
        put_json(report)
    else:
        _tell(report, caller, info)
    _warn_of_the_environment(wanted)


def logout(context: typer.Context, json_: JsonOption = False, profile: ProfileOption = None) -> None:
    """Remove the key of a hosted service from the system's key store; the profile stays."""
    from workbench.keys import remove_key
    from workbench.profiles import load_profiles

    known = load_profiles()
    name = choice(context, profile, None).profile
    found = known.get(name) if name else known.current
    if found.kind == "embedded":
        raise WrongUse(
            f"Profile {found.name} is the embedded service, which has no key. Name a hosted one with --profile NAME."
        )
    removed = remove_key(found)
    if json_:
        put_json({"profile": found.name, "removed": removed})
    elif removed:
        put(f"Removed the key of profile {found.name} from the key store. It stays valid until the service disables it.")
    else:
        say(f"No key of profile {found.name} is in the key store; there is nothing to remove.")
    _warn_of_the_environment(found)


def _wanted(known: Profiles, name: str | None, base_url: str | None, mcp_url: str | None) -> tuple[Profile | None, Profile]:
    """The profile as it is, if it is, and as it will be: the named or current one with what the options change.

    Nothing is written yet, but a name or an address that cannot be is refused here, before anybody types a key.
    """
    from workbench.profiles import ENVIRONMENT, Profile, name_for

    if name is None and base_url is None:
        current = known.current
        if current.kind == "hosted":
            name = current.name
        else:
            base_url = _typed_address()
    if name is None and base_url is not None:
        found = known.at(base_url)
        name = found.name if found else name_for(base_url.strip())
    name = str(name)
    existing = known.get(name) if name in known.names else None
    if existing is None and base_url is None:
        raise WrongUse(f"There is no profile {name!r} yet; add --base-url URL to make it. There are: {', '.join(known.names)}.")
    if existing is not None and existing.kind == "embedded":
        raise WrongUse(f"Profile {name} is the embedded service, which needs no key. Choose another name with --profile NAME.")
    wanted = _changed(existing or Profile(name, "hosted"), base_url, mcp_url)
    if name != ENVIRONMENT:
        known.put(wanted)
    return existing, wanted


def _changed(existing: Profile, base_url: str | None, mcp_url: str | None) -> Profile:
    from workbench.client.policy.addresses import UnusableAddress, base_address
    from workbench.profiles import ENVIRONMENT

    fixed = existing.name == ENVIRONMENT
    if fixed and (base_url or mcp_url):
        raise WrongUse(f"Profile {ENVIRONMENT} is what WORKBENCH_BASE_URL says; add --profile NAME to store another service.")
    try:
        address = str(base_address(base_url or existing.base_url or "", with_key=True))
        tools = mcp_url.strip() if mcp_url else existing.mcp_url
        if tools:
            base_address(tools, with_key=True)
    except UnusableAddress as trouble:
        raise WrongUse(f"The address cannot be used. {trouble}") from None
    changed = replace(existing, base_url=address, mcp_url=tools)
    if _moved(existing, changed) and mcp_url is None and existing.mcp_url:
        # The new service's key must not go to the old one's tool server.
        say(f"The tool server {existing.mcp_url} was the old service's and is forgotten; add --mcp-url URL for the new one.")
        changed = replace(changed, mcp_url=None)
    return changed


def _moved(existing: Profile, changed: Profile) -> bool:
    from workbench.keys import service_name

    return existing.base_url is not None and service_name(existing) != service_name(changed)


def _typed_address() -> str:
    if not sys.stdin.isatty():
        raise WrongUse("Which service? Add --base-url URL, or --profile NAME for one of `workbench profiles`.")
    return str(typer.prompt("Address of the service (https://…)", err=True))


def _stored_before(profile: Profile) -> SecretStr | None:
    """The key that is stored now. Asking first means that nobody types a key which then cannot be kept."""
    from workbench.keys import StoreUnavailable, stored_key

    try:
        return stored_key(profile)
    except StoreUnavailable as trouble:
        reason = str(trouble)
    raise Failure(
        f"{reason} So the key was not asked for: it could not be kept, and it is never written in plain text. For this "
        f"session, set WORKBENCH_BASE_URL={profile.base_url} and WORKBENCH_API_KEY; for longer, name a file that only you can "
        "read in WORKBENCH_API_KEY_FILE, or start the system's key store (on Linux a Secret Service, such as gnome-keyring) "
        "and log in again. `workbench doctor` says more.",
        ExitCode.NO_KEY,
    )


def _typed_key(profile: Profile) -> SecretStr:
    from getpass import GetPassWarning, getpass

    from pydantic import SecretStr

    if not sys.stdin.isatty():
        raise WrongUse("Nobody can be asked for the key here; pipe it in and add --key-stdin.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", GetPassWarning)
            return SecretStr(getpass(f"API key for {clean(profile.base_url)} (not shown): ", sys.stderr).strip())
    except GetPassWarning:
        raise WrongUse("This terminal cannot hide what is typed; pipe the key in and add --key-stdin.") from None
    except KeyboardInterrupt:
        sys.stderr.write("\n")  # the cursor still stands behind the question
        raise
    except EOFError:
        sys.stderr.write("\n")
        raise WrongUse("No key was typed; nothing was stored.") from None


def _key_from_stdin() -> SecretStr:
    from pydantic import SecretStr

    if sys.stdin.isatty():
        raise WrongUse("--key-stdin is for a pipe or a file; without it the key is asked for and not shown.")
    content = sys.stdin.buffer.read(KEY_BYTES_MAX + 1)
    if len(content) > KEY_BYTES_MAX:
        raise WrongUse("What standard input holds is too long to be a key; nothing was stored.")
    return SecretStr(content.decode("utf-8", "replace").strip())


def _checked(profile: Profile, key: SecretStr) -> tuple[CallerContext, KeyInfo]:
    from workbench.client import Client
    from workbench.client.errors import Unauthorized

    if not key.get_secret_value():
        raise WrongUse("The key is empty; nothing was stored.")
    with Client(str(profile.base_url), key, profile=profile, on_wait=announce_pause) as client:
        try:
            return client.whoami(), client.api_key()
        except Unauthorized as refusal:
            said = f": {refusal.message.rstrip('. ')}" if refusal.message else ""
            sentence = f"{profile.base_url} did not accept this key ({refusal.status}{said})."
    raise Failure(f"{sentence} Nothing was stored, and a key stored before is still there. Copy the key again, whole.")


def _keep(
    known: Profiles, existing: Profile | None, wanted: Profile, key: SecretStr, before: SecretStr | None
) -> dict[str, Any]:
    """Store the key and the profile, both or neither; gives the report for ``--json``."""
    from workbench.client.errors import ProfileError
    from workbench.keys import fingerprint, remove_key, store_key
    from workbench.profiles import ENVIRONMENT

    store = store_key(wanted, key)
    try:
        if wanted.name != ENVIRONMENT:
            if existing is None:
                known.choose(wanted.name)
            known.save()
    except ProfileError:
        if before is None:
            remove_key(wanted)
        else:
            store_key(wanted, before)
        raise
    replaced = fingerprint(before) if before is not None else None
    if existing is not None and _moved(existing, wanted):
        replaced = _forget_at_old_address(existing) or replaced
    return {
        "profile": wanted.name,
        "baseUrl": wanted.base_url,
        "mcpUrl": wanted.mcp_url,
        "keyStore": store,
        "fingerprint": fingerprint(key),
        "replaced": replaced,
        "newProfile": existing is None,
    }


def _forget_at_old_address(old: Profile) -> str | None:
    """Remove the key that the profile had for its old address; gives that key's fingerprint."""
    from workbench.client.errors import KeyNotStored
    from workbench.keys import StoreUnavailable, fingerprint, remove_key, stored_key

    try:
        left = stored_key(old)
        if left is not None:
            remove_key(old)
            return fingerprint(left)
    except (StoreUnavailable, KeyNotStored) as trouble:
        say(f"The key for the old address {old.base_url} could not be removed. {trouble}")
    return None


def _tell(report: dict[str, Any], caller: CallerContext, info: KeyInfo) -> None:
    name, mark, replaced = report["profile"], report["fingerprint"], report["replaced"]
    account = caller.account
    whose = f" of {account.name or account.slug or account.id}" if account else ""
    called = f" “{info.name}”" if info.name else ""
    put(clean(f"{report['baseUrl']} accepted the key{called}{whose}."))
    if replaced is None:
        put(f"Stored for profile {name} in {report['keyStore']} (fingerprint {mark}), and read back.")
    elif replaced == mark:
        put(f"Profile {name} had this key already (fingerprint {mark}); stored in {report['keyStore']} and read back.")
    else:
        put(
            f"Stored for profile {name} in {report['keyStore']} (fingerprint {mark}), and read back; it replaces the key with "
            f"fingerprint {replaced}."
        )
    if info.expires_at is not None:
        from workbench.cli.moments import local_minute

        put(f"The key expires {local_minute(info.expires_at)}.")
    if info.is_active is False:
        say("The service says that this key is not active; it may refuse it soon.")
    if report["newProfile"]:
        put(f"Profile {name} is now the current one; `workbench profiles use NAME` chooses another.")


def _warn_of_the_environment(profile: Profile) -> None:
    from workbench.keys import key_ahead_of_store
    from workbench.profiles import BASE_URL_VARIABLE, ENVIRONMENT, PROFILE_VARIABLE

    if ahead := key_ahead_of_store():
        say(f"{ahead} is set here and goes before the key store: unset it to use a stored key.")
    chooser = next((name for name in (PROFILE_VARIABLE, BASE_URL_VARIABLE) if os.environ.get(name, "").strip()), None)
    chosen = os.environ.get(PROFILE_VARIABLE, "").strip() or ENVIRONMENT
    if chooser and chosen != profile.name:
        say(f"{chooser} is set here and chooses the service; --profile {profile.name} uses this one.")


def register(app: typer.Typer) -> None:
    """Put the commands into the tree."""
    # Words that are too many would be repeated by typer's own error; here they may be a key.
    app.command(context_settings={"allow_extra_args": True})(login)
    app.command()(logout)
