"""Settings, read from the environment once and passed on as a frozen value."""

import os
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from survey.core.errors import SettingsError
from survey.definition.privacy_limits import (
    DEFAULT_LIMITS,
    PrivacyLimits,
    limits_from_settings,
    limits_text,
)
from survey.store.durable_files import make_folder, write_once


@dataclass(frozen=True)
class EnvironmentSetting:
    """One row of the settings table in the README."""

    name: str
    default: str
    sentence: str


SETTINGS = (
    EnvironmentSetting(
        "CANDOR_DATABASE",
        "instance/candor.db",
        "Path of the SQLite database, or postgresql://USER@HOST/NAME, which several servers share "
        "(docs/how-to/use-postgresql.md).",
    ),
    EnvironmentSetting(
        "CANDOR_DATABASE_FILE",
        "",
        "A file with CANDOR_DATABASE in it, where that has a password in it.",
    ),
    EnvironmentSetting("HOST", "127.0.0.1", "Address to listen on."),
    EnvironmentSetting("PORT", "8000", "Port to listen on."),
    EnvironmentSetting(
        "CANDOR_URL",
        "",
        "Address that people type, such as https://survey.example.org; empty means "
        "http://HOST:PORT. With https, cookies are marked Secure and browsers then refuse plain "
        "http (HSTS). Requests for another name are refused, but for localhost and IP addresses.",
    ),
    EnvironmentSetting(
        "CANDOR_ADMIN_URL",
        "",
        "Address of researchers' pages and of the API, where these are to have a host name of "
        "their own, which browsers keep apart from respondents'; empty means CANDOR_URL.",
    ),
    EnvironmentSetting(
        "CANDOR_SECRET_KEY",
        "",
        "Signs researchers' cookies and makes the keys of their second factors, at least 32 "
        "characters; empty means the file secret_key beside the database, made at the first start.",
    ),
    EnvironmentSetting(
        "CANDOR_SECRET_KEY_FILE",
        "",
        "A file with CANDOR_SECRET_KEY in it, which no list of processes or settings then shows.",
    ),
    EnvironmentSetting(
        "CANDOR_SECRET_KEY_BEFORE",
        "",
        "The secret key before this one, for one start after it was replaced; second factors, "
        "webhooks and sessions then stay as they are (docs/how-to/operate-a-server.md).",
    ),
    EnvironmentSetting(
        "CANDOR_SECRET_KEY_BEFORE_FILE", "", "A file with CANDOR_SECRET_KEY_BEFORE in it."
    ),
    EnvironmentSetting(
        "CANDOR_PROXIES",
        "0",
        "How many proxies of yours stand in front, each adding to X-Forwarded-For; tries to sign "
        "in are then counted by the client's address and not by the proxy's.",
    ),
    EnvironmentSetting(
        "CANDOR_REQUESTS",
        "6000",
        "How many requests a minute one address may send, 0 for any number; one respondent sends "
        "about 15. The addresses are not kept.",
    ),
    EnvironmentSetting(
        "CANDOR_PROCESSOR_SECONDS",
        "30",
        "Seconds of processor time that one request of a researcher may take, 0 for any number. "
        "The command line has no limit.",
    ),
    EnvironmentSetting(
        "CANDOR_SECOND_FACTOR",
        "optional",
        "Whether researchers may or must use a second factor: optional or required.",
    ),
    EnvironmentSetting(
        "CANDOR_LOCAL_WEBHOOKS",
        "no",
        "Whether this machine and private networks may be told of thresholds: yes or no. No keeps "
        "researchers from reaching through the server what only the server can reach.",
    ),
    EnvironmentSetting(
        "CANDOR_METRICS_TOKEN",
        "",
        "Whoever sends it as a bearer token is given figures of the server at /metrics, in the "
        "format of Prometheus, at least 32 characters; empty means that there is no such address.",
    ),
    EnvironmentSetting("CANDOR_METRICS_TOKEN_FILE", "", "A file with CANDOR_METRICS_TOKEN in it."),
    EnvironmentSetting(
        "CANDOR_LOG",
        "plain",
        "How `serve` writes its log to standard error: plain or json, a line for each event.",
    ),
    EnvironmentSetting(
        "CANDOR_MAX_CERTAINTY",
        "99",
        "How sure someone may become of one answer, at worst and in percent. A survey above it is "
        "not opened. Respondents can see the limit.",
    ),
    EnvironmentSetting(
        "CANDOR_MAX_EPSILON",
        "12",
        "The largest total privacy loss ε of one respondent. A survey above it is not opened. "
        "Respondents can see the limit.",
    ),
    EnvironmentSetting(
        "CANDOR_DEMO", "yes", "Whether an empty database gets the demo surveys: yes or no."
    ),
)


# What a setting may be, as a regular expression and in words.
VALUES = {
    "CANDOR_PROXIES": ("[0-9]", "a number from 0 to 9"),
    "CANDOR_REQUESTS": ("[0-9]{1,9}", "a whole number"),
    "CANDOR_PROCESSOR_SECONDS": ("[0-9]{1,9}", "a whole number, 0 for no limit"),
    "CANDOR_SECOND_FACTOR": ("optional|required", "optional or required"),
    "CANDOR_LOCAL_WEBHOOKS": ("yes|no", "yes or no"),
    "CANDOR_LOG": ("plain|json", "plain or json"),
    "CANDOR_DEMO": ("yes|no", "yes or no"),
}


def check_values(values: Mapping[str, str]) -> None:
    """Raise SettingsError naming the first setting whose value is none that it may have."""
    port = values["PORT"]
    if not re.fullmatch("[0-9]{1,5}", port) or not 0 < int(port) < 65536:
        raise SettingsError(f"PORT is {port!r}; it is a number from 1 to 65535.")
    for name, (pattern, words) in VALUES.items():
        if not re.fullmatch(pattern, values[name]):
            raise SettingsError(f"{name} is {values[name]!r}; it is {words}.")
    token = values["CANDOR_METRICS_TOKEN"]
    if token and not re.fullmatch("[!-~]{32,}", token):
        raise SettingsError(
            "CANDOR_METRICS_TOKEN is shorter than 32 characters, or has others than letters, "
            "digits and signs of ASCII."
        )


def check_addresses(url: str, admin_url: str) -> None:
    """Raise SettingsError where an address has a path, or the two differ in http and https."""
    for name, address in ("CANDOR_URL", url), ("CANDOR_ADMIN_URL", admin_url or url):
        parts = urlsplit(address)
        is_web_address = parts.scheme in ("http", "https") and parts.netloc
        if not is_web_address or parts.path or parts.query:
            raise SettingsError(
                f"{name} is {address!r}; it is like https://survey.example.org, without a path."
            )
    if admin_url and urlsplit(admin_url).scheme != urlsplit(url).scheme:
        raise SettingsError("CANDOR_ADMIN_URL and CANDOR_URL are both http or both https.")


def secret_keys(values: Mapping[str, str]) -> tuple[str, str, Path | None]:
    """The secret key, the one before it or "", and the file of the key if it is kept in one.

    Raises SettingsError where there is no key, or one that is too short.
    """
    key = values["CANDOR_SECRET_KEY"]
    if not key and "://" in values["CANDOR_DATABASE"]:
        raise SettingsError(
            "CANDOR_SECRET_KEY is empty; servers that share a database need the same one, of "
            "at least 32 characters."
        )
    before, file = values["CANDOR_SECRET_KEY_BEFORE"], None
    if not key:
        folder = Path(values["CANDOR_DATABASE"]).parent
        key, file = kept_secret_key(folder), folder / "secret_key"
        replaced = folder / "secret_key_before"
        before = before or (replaced.read_text().strip() if replaced.exists() else "")
    if len(key) < 32:
        raise SettingsError("CANDOR_SECRET_KEY is shorter than 32 characters.")
    return key, before, file


@dataclass(frozen=True)
class Settings:
    """What the application is told from outside. Nothing else reads the environment."""

    database: str
    host: str
    port: int
    url: str
    secret_key: str
    proxies: int
    demo: bool
    second_factor: bool = False
    local_webhooks: bool = False
    admin_url: str = ""
    requests_a_minute: int = 6_000
    processor_seconds: int = 30
    secret_key_before: str = ""
    secret_key_file: Path | None = None
    metrics_token: str = ""
    log: str = "plain"
    privacy_limits: PrivacyLimits = DEFAULT_LIMITS

    @property
    def https(self) -> bool:
        return self.url.startswith("https://")

    @property
    def shown(self) -> dict[str, str | int]:
        """What may be written down: nothing secret, and no password in an address."""
        return {
            "database": without_secrets(self.database),
            "host": self.host,
            "port": self.port,
            "url": self.url,
            "admin_url": self.admin_url,
            "proxies": self.proxies,
            "requests_a_minute": self.requests_a_minute,
            "processor_seconds": self.processor_seconds,
            "second_factor": "required" if self.second_factor else "optional",
            "local_webhooks": "yes" if self.local_webhooks else "no",
            "metrics": "yes" if self.metrics_token else "no",
            "max_certainty": limits_text(self.privacy_limits)[0],
            "max_epsilon": limits_text(self.privacy_limits)[1],
        }

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> "Settings":
        """Read and check the settings; raises SettingsError naming the one that is wrong."""
        environment = with_files(environment)
        values = {row.name: environment.get(row.name, "") or row.default for row in SETTINGS}
        host, port = values["HOST"], values["PORT"]
        check_values(values)
        url = (values["CANDOR_URL"] or f"http://{host}:{port}").rstrip("/")
        admin_url = values["CANDOR_ADMIN_URL"].rstrip("/")
        check_addresses(url, admin_url)
        key, before, file = secret_keys(values)
        return cls(
            database=values["CANDOR_DATABASE"],
            host=host,
            port=int(port),
            url=url,
            secret_key=key,
            secret_key_before=before if before != key else "",
            secret_key_file=file,
            proxies=int(values["CANDOR_PROXIES"]),
            demo=values["CANDOR_DEMO"] == "yes",
            second_factor=values["CANDOR_SECOND_FACTOR"] == "required",
            local_webhooks=values["CANDOR_LOCAL_WEBHOOKS"] == "yes",
            admin_url=admin_url,
            requests_a_minute=int(values["CANDOR_REQUESTS"]),
            processor_seconds=int(values["CANDOR_PROCESSOR_SECONDS"]),
            metrics_token=values["CANDOR_METRICS_TOKEN"],
            log=values["CANDOR_LOG"],
            privacy_limits=limits_from_settings(
                values["CANDOR_MAX_CERTAINTY"], values["CANDOR_MAX_EPSILON"]
            ),
        )


def with_files(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment, with what it has in files: NAME is what the file NAME_FILE says."""
    values = dict(environment)
    for row in SETTINGS:
        name, file = row.name.removesuffix("_FILE"), environment.get(row.name)
        if name == row.name or not file:
            continue
        if environment.get(name):
            raise SettingsError(f"{name} and {name}_FILE are both set; set one of them.")
        try:
            values[name] = Path(file).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise SettingsError(f"{name}_FILE is {file!r}, which cannot be read.") from error
        if not values[name]:
            raise SettingsError(f"{name}_FILE is {file!r}, which is empty.")
    return values


def without_secrets(database: str) -> str:
    """An address of a database without user, password and parameters, of which one may be a
    password; a path as it is."""
    scheme, separator, rest = database.partition("://")
    return f"{scheme}://{rest.partition('?')[0].rpartition('@')[2]}" if separator else database


def kept_secret_key(folder: Path) -> str:
    """The key in the file secret_key, made at the first start and readable by its owner only."""
    path = folder / "secret_key"
    try:
        make_folder(folder)
        if not path.exists():
            write_once(path, secrets.token_hex(32))
        return path.read_text().strip()
    except OSError as error:
        raise SettingsError(f"The folder {folder} cannot be written: {error.strerror}.") from error
