"""Settings: read from the environment once, then passed as a frozen dataclass."""

import os
import re
import secrets
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from survey import IN_CLONE
from survey.core.errors import SettingsError
from survey.core.extras import has_extra, install_command
from survey.definition.privacy_limits import (
    DEFAULT_LIMITS,
    PrivacyLimits,
    limits_from_settings,
    limits_text,
)
from survey.store.durable_files import make_folder, write_once

# The groups of settings, in the order of docs/reference/settings.md.
ADDRESS = "Address"
DATABASE = "Database"
SECRETS = "Secrets and sign-in"
LIMITS = "Limits"
PRIVACY = "Privacy"
LOGGING = "Logging and metrics"
GROUPS = (ADDRESS, DATABASE, SECRETS, LIMITS, PRIVACY, LOGGING)


@dataclass(frozen=True)
class EnvironmentSetting:
    """One setting: a row of docs/reference/settings.md."""

    name: str
    group: str
    default: str
    sentence: str


SETTINGS = (
    EnvironmentSetting("HOST", ADDRESS, "127.0.0.1", "Address to listen on."),
    EnvironmentSetting("PORT", ADDRESS, "8000", "Port to listen on."),
    EnvironmentSetting(
        "CANDOR_URL",
        ADDRESS,
        "",
        "Public address of the server, such as https://survey.example.org. If empty, it is "
        "http://HOST:PORT. With https, the cookie of researchers is Secure, and Candor sends "
        "HSTS. Candor accepts only requests to the host names in CANDOR_URL and "
        "CANDOR_ADMIN_URL, to localhost and to IP addresses.",
    ),
    EnvironmentSetting(
        "CANDOR_ADMIN_URL",
        ADDRESS,
        "",
        "Address of the researchers' pages and of the API, if they have a host name of their own. "
        "Browsers then isolate them from the respondents' pages. If empty, it is CANDOR_URL.",
    ),
    EnvironmentSetting(
        "CANDOR_PROXIES",
        ADDRESS,
        "0",
        "Number of trusted reverse proxies that append to X-Forwarded-For. Candor needs it to "
        "find the address of a client, for the limits of sign-ins and requests.",
    ),
    EnvironmentSetting(
        "CANDOR_DATABASE",
        DATABASE,
        "",
        "Path of the SQLite database, or address of a PostgreSQL database: "
        "postgresql://USER@HOST/NAME. Several servers can share a PostgreSQL database "
        "(docs/how-to/use-postgresql.md). If empty, it is candor.db in the data folder. In a clone "
        "of the repository, the data folder is instance. An installed Candor uses the user's "
        "folder for data: $XDG_DATA_HOME/candor or ~/.local/share/candor, on macOS "
        "~/Library/Application Support/candor, and on Windows %LOCALAPPDATA%\\candor.",
    ),
    EnvironmentSetting(
        "CANDOR_DATABASE_FILE",
        DATABASE,
        "",
        "File that contains the value of CANDOR_DATABASE. Use it if the value contains a password.",
    ),
    EnvironmentSetting(
        "CANDOR_SECRET_KEY",
        SECRETS,
        "",
        "Secret key of at least 32 characters. Candor uses it to sign researchers' cookies, and to "
        "encrypt another key, from which it derives the keys of second factors and the secrets of "
        "webhooks. With PostgreSQL, there is no default. With SQLite, Candor creates the file "
        "secret_key in the folder of the database at the first start, and uses its content by "
        "default.",
    ),
    EnvironmentSetting(
        "CANDOR_SECRET_KEY_FILE",
        SECRETS,
        "",
        "File that contains the value of CANDOR_SECRET_KEY.",
    ),
    EnvironmentSetting(
        "CANDOR_SECRET_KEY_BEFORE",
        SECRETS,
        "",
        "The previous secret key. Set it for the first start after you replaced the key "
        "(docs/how-to/rotate-the-secret-key.md). Second factors and webhooks then stay valid.",
    ),
    EnvironmentSetting(
        "CANDOR_SECRET_KEY_BEFORE_FILE",
        SECRETS,
        "",
        "File that contains the value of CANDOR_SECRET_KEY_BEFORE.",
    ),
    EnvironmentSetting(
        "CANDOR_SECOND_FACTOR",
        SECRETS,
        "optional",
        "Whether researchers can or must use a second factor.",
    ),
    EnvironmentSetting(
        "CANDOR_REQUESTS",
        LIMITS,
        "6000",
        "Maximum number of requests per minute from one IP address, or from IPv6 addresses with "
        "the same first 64 bits. The browser of one respondent sends about 15 requests.",
    ),
    EnvironmentSetting(
        "CANDOR_PROCESSOR_SECONDS",
        LIMITS,
        "30",
        "Maximum processor time for one request to the researchers' pages or the API, and for one "
        "page of public results, in seconds. A lesson has at most 5 seconds. The analyses of a "
        "request have at most 2 seconds, and longer ones continue in the background.",
    ),
    EnvironmentSetting(
        "CANDOR_LOCAL_WEBHOOKS",
        LIMITS,
        "no",
        "Whether webhooks may send requests to this machine and to private networks.",
    ),
    EnvironmentSetting(
        "CANDOR_MAX_CERTAINTY",
        PRIVACY,
        "99",
        "Maximum certainty in percent, above 50 and below 100: the highest probability that a "
        "report may give to one of two answers, if both were equally likely before. Candor does "
        "not open a survey above this limit.",
    ),
    EnvironmentSetting(
        "CANDOR_MAX_EPSILON",
        PRIVACY,
        "12",
        "Maximum total privacy loss ε of one respondent, above 0. Candor does not open a survey "
        "above this limit.",
    ),
    EnvironmentSetting(
        "CANDOR_LOG",
        LOGGING,
        "plain",
        "Format of the log that `serve` writes to standard error, with one line per event.",
    ),
    EnvironmentSetting(
        "CANDOR_METRICS_TOKEN",
        LOGGING,
        "",
        "Bearer token of at least 32 characters, with which Prometheus can read /metrics. If "
        "empty, /metrics does not exist.",
    ),
    EnvironmentSetting(
        "CANDOR_METRICS_TOKEN_FILE",
        LOGGING,
        "",
        "File that contains the value of CANDOR_METRICS_TOKEN.",
    ),
)


# The allowed values of a setting: a regular expression and a description.
VALUES = {
    "CANDOR_PROXIES": ("[0-9]", "a number from 0 to 9"),
    "CANDOR_REQUESTS": ("[0-9]{1,9}", "a whole number, 0 for no limit"),
    "CANDOR_PROCESSOR_SECONDS": ("[0-9]{1,9}", "a whole number, 0 for no limit"),
    "CANDOR_SECOND_FACTOR": ("optional|required", "optional or required"),
    "CANDOR_LOCAL_WEBHOOKS": ("yes|no", "yes or no"),
    "CANDOR_LOG": ("plain|json", "plain or json"),
}
PORT_VALUES = "a number from 1 to 65535"


def check_values(values: Mapping[str, str]) -> None:
    """Raise SettingsError, which names the first setting whose value is not allowed."""
    port = values["PORT"]
    if not re.fullmatch("[0-9]{1,5}", port) or not 0 < int(port) < 65536:
        raise SettingsError(f"PORT is {port!r}. Set it to {PORT_VALUES}.")
    for name, (pattern, words) in VALUES.items():
        if not re.fullmatch(pattern, values[name]):
            raise SettingsError(f"{name} is {values[name]!r}. Set it to {words}.")
    token = values["CANDOR_METRICS_TOKEN"]
    if token and not re.fullmatch("[!-~]{32,}", token):
        raise SettingsError(
            "CANDOR_METRICS_TOKEN is too short or has characters that are not allowed. Use at "
            "least 32 ASCII characters without spaces."
        )
    if token and not has_extra("metrics"):
        raise SettingsError(
            "CANDOR_METRICS_TOKEN is set, but metrics need a package that is not installed. Run "
            f"`{install_command('metrics')}`, or leave the setting empty."
        )


def check_addresses(url: str, admin_url: str) -> None:
    """Raise SettingsError if an address has a path, or if one is http and the other https."""
    for name, address in ("CANDOR_URL", url), ("CANDOR_ADMIN_URL", admin_url or url):
        try:
            parts = urlsplit(address)
        except ValueError:  # Python checks the characters of the host's name.
            parts = urlsplit("")
        is_web_address = parts.scheme in ("http", "https") and parts.netloc
        if not is_web_address or parts.path or parts.query:
            raise SettingsError(
                f"{name} is {address!r}. Set it to an address without a path, such as "
                "https://survey.example.org."
            )
    if admin_url and urlsplit(admin_url).scheme != urlsplit(url).scheme:
        raise SettingsError(
            "CANDOR_ADMIN_URL and CANDOR_URL differ in http and https. Set both to http or both "
            "to https."
        )


def secret_keys(values: Mapping[str, str]) -> tuple[str, str, Path | None]:
    """The secret key, the previous key or "", and the path of the key's file or None.

    Raises SettingsError if the key is missing or too short.
    """
    key = values["CANDOR_SECRET_KEY"]
    if not key and "://" in values["CANDOR_DATABASE"]:
        raise SettingsError(
            "CANDOR_SECRET_KEY is empty. Set the same key, of at least "
            "32 characters, on all servers that share the database."
        )
    before, file = values["CANDOR_SECRET_KEY_BEFORE"], None
    if not key:
        folder = Path(values["CANDOR_DATABASE"]).parent
        key, file = kept_secret_key(folder), folder / "secret_key"
        replaced = folder / "secret_key_before"
        before = before or (replaced.read_text().strip() if replaced.exists() else "")
    if len(key) < 32:
        raise SettingsError("CANDOR_SECRET_KEY is shorter than 32 characters. Set a longer key.")
    return key, before, file


@dataclass(frozen=True, kw_only=True)
class Settings:
    """All settings of the application. No other module reads the environment."""

    database: str
    host: str
    port: int
    url: str
    secret_key: str
    proxies: int
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
        """The settings that may be logged: no secrets, and no password in an address."""
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
        """Read and check the settings; raises SettingsError, which names the wrong setting."""
        environment = with_files(environment)
        values = {row.name: environment.get(row.name, "") or row.default for row in SETTINGS}
        values["CANDOR_DATABASE"] = values["CANDOR_DATABASE"] or str(default_database(environment))
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


def default_database(
    environment: Mapping[str, str], in_clone: bool = IN_CLONE, platform: str = sys.platform
) -> Path:
    """The database in the data folder: instance in a clone, else the user's folder for data.

    Raises SettingsError if the user has no home folder.
    """
    if in_clone:
        return Path("instance", "candor.db")
    try:
        if platform == "win32":
            data = environment.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
        elif platform == "darwin":
            data = Path.home() / "Library" / "Application Support"
        else:
            # https://specifications.freedesktop.org/basedir-spec/latest/ ignores relative paths.
            named = environment.get("XDG_DATA_HOME", "")
            data = named if named.startswith("/") else Path.home() / ".local" / "share"
    except RuntimeError as error:
        raise SettingsError(
            "Your account has no home folder for data. Set CANDOR_DATABASE to the path of the "
            "database."
        ) from error
    return Path(data, "candor", "candor.db")


def limit_later_threads() -> None:
    """One thread for each OpenBLAS that this process loads later, as scipy's own."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def with_files(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment, where each NAME_FILE sets NAME to the content of that file."""
    values = dict(environment)
    for row in SETTINGS:
        name, file = row.name.removesuffix("_FILE"), environment.get(row.name)
        if name == row.name or not file:
            continue
        if environment.get(name):
            raise SettingsError(f"{name} and {name}_FILE are both set. Set only one of them.")
        try:
            values[name] = Path(file).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise SettingsError(
                f"{name}_FILE is {file!r}, which cannot be read. Check the path, its permissions, "
                "and that the file is UTF-8."
            ) from error
        if not values[name]:
            raise SettingsError(
                f"{name}_FILE is {file!r}, which is empty. Write the value into it."
            )
    return values


def without_secrets(database: str) -> str:
    """The database without its user, password and parameters; a path stays as it is.

    A parameter of the address can be a password.
    """
    scheme, separator, rest = database.partition("://")
    return f"{scheme}://{rest.partition('?')[0].rpartition('@')[2]}" if separator else database


def kept_secret_key(folder: Path) -> str:
    """The key in the file secret_key. The first start creates it, readable by its owner only."""
    path = folder / "secret_key"
    try:
        make_folder(folder)
        if not path.exists():
            write_once(path, secrets.token_hex(32))
        return path.read_text().strip()
    except OSError as error:
        raise SettingsError(
            f"The folder {folder} cannot be written: {error.strerror}. Change its permissions, or "
            "set CANDOR_DATABASE to another folder."
        ) from error
