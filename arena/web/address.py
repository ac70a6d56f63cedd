"""Where a server listens, and by which names browsers may address it."""

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from arena.config.document import ConfigError

_ANY = ("0.0.0.0", "::")
_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class Address:
    """The hosts and origins that requests may name. Others are refused, which stops DNS rebinding."""

    url: str  # the address that people open, without a slash at its end
    hosts: Sequence[str]  # allowed values of the header Host
    origins: Sequence[str]  # allowed values of the header Origin
    is_proxied: bool  # a proxy on this machine may name the clients of its requests

    @property
    def is_https(self) -> bool:
        return self.url.startswith("https://")

    @property
    def port(self) -> int:
        """The port that browsers connect to."""
        parts = urlsplit(self.url)
        return parts.port or _DEFAULT_PORTS[parts.scheme]


def is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def check_host(host: str, public_url: str | None, is_insecure: bool) -> None:
    """Check the address at which a server will listen, and `--public-url`; None: it has no proxy.

    Raises:
        ConfigError: The server could be reached from elsewhere unencrypted or by an unknown name, or the URL
            is wrong.
    """
    if public_url is not None:
        _check_url(public_url, is_insecure)
    if is_loopback(host):
        return
    if public_url is None and not is_insecure:
        raise ConfigError(
            f"--host {host}: other machines could reach it; should be a loopback address, or come with"
            " --public-url https://NAME of a proxy that encrypts, or with --insecure"
        )
    if public_url is None and host in _ANY:
        raise ConfigError(f"--host {host}: has no name to check requests against; add --public-url")


def _check_url(url: str, is_insecure: bool) -> None:
    schemes = ("https", "http") if is_insecure else ("https",)
    parts = urlsplit(url)
    try:
        is_plain = parts.port != 0 and not parts.username and parts.path in ("", "/")
    except ValueError:
        is_plain = False
    if parts.scheme not in schemes or not parts.hostname or not is_plain or parts.query or parts.fragment:
        raise ConfigError(f"--public-url {url}: should be https://NAME or https://NAME:PORT, without a path")


def address_of(host: str, port: int, public_url: str | None) -> Address:
    """The address of a server that listens on this port. `public_url` is its proxy's; None: it has none.

    The names of the loopback interface are always allowed, for checks of health.
    """
    names = ["127.0.0.1", "localhost", "[::1]"]
    if not is_loopback(host) and host not in _ANY:
        names.append(f"[{host}]" if ":" in host else host)
    hosts = [with_port for name in names for with_port in _spellings(name, port, "http")]
    origins = [f"http://{each}" for each in hosts]
    shown = f"[{host}]" if ":" in host else host
    url = f"http://{shown}:{port}"
    if public_url is not None:
        parts = urlsplit(public_url)
        name = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname or ""
        public = _spellings(name, parts.port or _DEFAULT_PORTS[parts.scheme], parts.scheme)
        hosts += public
        origins += [f"{parts.scheme}://{each}" for each in public]
        url = origins[-1]
    return Address(url, tuple(dict.fromkeys(hosts)), tuple(dict.fromkeys(origins)), public_url is not None)


def _spellings(name: str, port: int, scheme: str) -> list[str]:
    """A host with its port; with the default port also without it, because browsers omit that."""
    return [f"{name}:{port}", *([name] if port == _DEFAULT_PORTS[scheme] else [])]
