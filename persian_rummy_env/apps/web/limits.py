"""What one address may take of the server: connections, requests and tables, by number and by time."""

from __future__ import annotations

import ipaddress
import time
from collections import OrderedDict
from dataclasses import dataclass

REMEMBERED = 4096
"""Addresses whose allowances are kept in memory; the one not heard of for longest is forgotten first."""


@dataclass(frozen=True)
class Limits:
    """The limits of a server.

    Attributes:
        connections: open at once, of all addresses together.
        connections_each: open at once, of one address.
        tables_each: unfinished tables that one address may have opened.
        openings: tables that one address may open at once after a rest, and how many more a second.
        requests: the same for requests.
        received: the same for the bytes that a WebSocket receives; this bounds frames of every kind.
        ask_s: seconds for a request, or a message of several frames, to arrive whole.
        take_s: seconds for a client to take what was sent to it.
        proxies: addresses or networks of proxies that are trusted to name the client, and limit connections themselves.
    """

    connections: int = 800
    connections_each: int = 60
    tables_each: int = 10
    openings: tuple[float, float] = (20.0, 0.1)
    requests: tuple[float, float] = (300.0, 30.0)
    received: tuple[float, float] = (32768.0, 4096.0)
    ask_s: float = 10.0
    take_s: float = 60.0
    proxies: tuple[str, ...] = ()

    @classmethod
    def in_time_alone(cls) -> Limits:
        """No limit in number; for programs that count for themselves."""
        return cls(10**6, 10**6, 10**6, openings=(1e9, 1e9), requests=(1e9, 1e9))

    def is_proxy(self, host: str) -> bool:
        try:
            address = ipaddress.ip_address(host)
        except ValueError:
            return False
        return any(address in ipaddress.ip_network(proxy, strict=False) for proxy in self.proxies)


def proxies(text: str) -> tuple[str, ...]:
    """The addresses of ``--proxy``, divided by commas.

    Raises:
        ValueError: one is neither an address nor a network.
    """
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    for name in names:
        try:
            ipaddress.ip_network(name, strict=False)
        except ValueError:
            raise ValueError(f"--proxy {name!r}: expected an address such as 127.0.0.1, or a network") from None
    return names


def counted_address(host: str | None) -> str:
    """What is counted as one client: an IPv4 address, or the /64 network of an IPv6 address.

    Whoever has an IPv6 address has 2**64 of them.
    """
    if host is None:
        return "local"
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host[:64]
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((int(address) >> 64 << 64, 64)))
    return str(address)


class Allowance:
    """So much at once, and so much more a second."""

    def __init__(self, burst: float, per_second: float) -> None:
        self.burst, self.per_second = burst, per_second
        self.left, self.then = burst, time.monotonic()

    def take(self, amount: float = 1.0) -> bool:
        """Take some of it; False where there is not enough left."""
        now = time.monotonic()
        self.left, self.then = min(self.burst, self.left + self.per_second * (now - self.then)), now
        if self.left < amount:
            return False
        self.left -= amount
        return True


class Allowances:
    """An allowance for each address."""

    def __init__(self, burst: float, per_second: float) -> None:
        self.burst, self.per_second = burst, per_second
        self._each: OrderedDict[str, Allowance] = OrderedDict()

    def take(self, address: str) -> bool:
        if address not in self._each:
            self._each[address] = Allowance(self.burst, self.per_second)
            if len(self._each) > REMEMBERED:
                self._each.popitem(last=False)
        self._each.move_to_end(address)
        return self._each[address].take()


class Tally:
    """How many of something each address holds, and all together."""

    def __init__(self, each: int, most: int) -> None:
        self.each, self.most = each, most
        self.held: dict[str, int] = {}
        self.total = 0

    def enter(self, address: str, *, alone: bool = True) -> bool:
        """Count one more; False, and nothing counted, where it is too many. Not ``alone``: many share the address."""
        held = self.held.get(address, 0)
        if self.total >= self.most or (alone and held >= self.each):
            return False
        self.held[address] = held + 1
        self.total += 1
        return True

    def leave(self, address: str) -> None:
        self.total -= 1
        self.held[address] -= 1
        if not self.held[address]:
            del self.held[address]


class Guard:
    """Keeps the limits of a server: what each address holds now, and what it is still allowed."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.sockets = Tally(limits.connections_each, limits.connections)
        self.requests = Allowances(*limits.requests)
        self.openings = Allowances(*limits.openings)
        self._connections = Tally(limits.connections_each, limits.connections)
        self._admitted: dict[object, str] = {}

    def admit(self, transport: object, host: str | None) -> bool:
        """Whether a connection may stay. One that goes over from HTTP to WebSocket is counted once."""
        if transport in self._admitted:
            return True
        address = counted_address(host)
        if not self._connections.enter(address, alone=host is None or not self.limits.is_proxy(host)):
            return False
        self._admitted[transport] = address
        return True

    def release(self, transport: object) -> None:
        """The end of a connection."""
        address = self._admitted.pop(transport, None)
        if address is not None:
            self._connections.leave(address)
