"""``integrations/stub_model.py`` as a module."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

_SPEC = spec_from_file_location("stub_model", Path(__file__).parents[2] / "integrations" / "stub_model.py")
assert _SPEC is not None
assert _SPEC.loader is not None
stub_model = module_from_spec(_SPEC)
_SPEC.loader.exec_module(stub_model)
