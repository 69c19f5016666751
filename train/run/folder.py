"""The folder that a run writes into."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

from persian_rummy_env.system.run_folder import claimed, locked, refuse_strangers

from ..config.base import RunConfig
from ..scale.ranks import Ranks
from .checkpoint import Checkpoint


def folder_of(config: RunConfig, saved: Checkpoint | None, ranks: Ranks) -> AbstractContextManager[Path]:
    """The folder of a run; the first rank locks it.

    Raises:
        FolderError: another run has written into it, or another process uses it.
    """
    if not ranks.first:
        return nullcontext(config.out)
    return claimed(config.out, config.if_exists) if saved is None else _resumed(config.out, saved.run)


@contextmanager
def _resumed(folder: Path, run: str) -> Iterator[Path]:
    with locked(folder):
        refuse_strangers(folder, run)
        yield folder
