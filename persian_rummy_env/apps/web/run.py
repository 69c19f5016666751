"""A server from its start to its end, in the order that matters: what can be refused is refused before it listens."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from pathlib import Path

from ...players.policy import BasePolicy
from ...rules import RuleSet
from . import server
from .app import make_app
from .limits import Limits, proxies
from .rooms import Lobby
from .store import Store
from .thinking import Thinker
from .warm import prepare

SPARE_FILES = 100
"""Files that the process needs beside its connections."""
MOST_CONNECTIONS = 10_000


def run(
    policies: Mapping[str, BasePolicy],
    rules: RuleSet,
    *,
    host: str,
    port: int,
    hosts: list[str],
    store: Path | None,
    tables: int,
    tables_each: int,
    connections_each: int,
    limited: bool,
    keep: float,
    pause: float,
    proxy: str,
) -> int:
    """Serve until a signal comes; returns the exit status.

    Args:
        policies: by name. rules: of all games.
        host, port: to listen at. hosts: names that browsers may call this machine by.
        store: the file of tables, or None.
        tables, tables_each, connections_each, keep, pause, proxy: see ``Lobby`` and ``Limits``; times in seconds.
        limited: whether one address may have less than all there is.

    Raises:
        ValueError: the address, the store, or another argument cannot be used.
        PolicyError: a policy fails in its first game.
    """
    each = Limits(connections_each=connections_each, tables_each=tables_each)
    limits = _within_open_files(
        dataclasses.replace(each if limited else Limits.in_time_alone(), proxies=proxies(proxy))
    )
    sockets = server.bind(host, port)
    kept: Store | None = None
    try:
        kept = None if store is None else Store(store)
        prepare(policies, rules)
        thinker = Thinker(policies)
        lobby = Lobby(thinker, rules, tables, keep, pause, store=kept, tables_each=limits.tables_each)
        lobby.restore()
        serving = server.Server(server.config(make_app(lobby, hosts, limits), limits), lobby, server.url(host, sockets))
        server.listen(sockets, port)
        serving.run(sockets=sockets)
    finally:
        for one in sockets:
            one.close()
        if kept is not None:
            kept.close()
    return 0 if serving.started else 1


def _within_open_files(limits: Limits) -> Limits:
    """No more connections than the system lets this process open files; it may be asked for more of them first."""
    if os.name != "posix":
        return limits
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = min(limits.connections, MOST_CONNECTIONS) + SPARE_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        wanted = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        return dataclasses.replace(limits, connections=max(10, wanted - SPARE_FILES))
    return limits
