"""JSON schema: is the response JSON of the shape that was agreed?"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ValidationError

from ..data.cases import Case
from ..errors import EvalError, UsageError
from ..results import Evidence, Verdict
from ..scales import PASS_FAIL, Threshold
from ..text.encodable import encodable
from ..text.json_once import once
from ..text.shown import shown
from .ask import Ask
from .built_in import built_in


def _can_be(schema: Mapping[str, Any] | type[BaseModel]) -> Mapping[str, Any] | type[BaseModel]:
    if isinstance(schema, Mapping):
        _validator(schema)
    return schema


Schema = Annotated[Mapping[str, Any] | type[BaseModel], AfterValidator(_can_be)]


@built_in(needs=("response",), scale=PASS_FAIL, rule=Threshold("at_least", 1), judged=False)
async def json_schema(case: Case, ask: Ask, schema: Schema) -> Verdict:
    """Whether the response is JSON that ``schema`` allows, pass or fail.

    The response as a whole has to be JSON: no fence or prose around it, no NaN, no name that one
    object gives twice. ``schema`` is a pydantic model, whose strict validation decides (``"3"``
    and true are no integers), or a JSON Schema as a mapping, for which the library
    ``jsonschema`` is needed (``pip install pytest-llm-evaluation[json-schema]``); references to
    other places are not followed. The evidence is what is wrong, with its JSON path. Raises
    ``UsageError`` for a schema that can't be, and where the library is missing.
    """
    response = encodable(case.response or "")
    try:
        value = json.loads(response, parse_constant=_no_json, object_pairs_hook=once)
    except RecursionError:
        return Verdict(0, "the response is nested too deeply to be read as JSON")
    except ValueError as error:
        return Verdict(0, f"the response is no JSON: {error}")
    if isinstance(schema, Mapping):
        faults = _schema_faults(schema, value)
    else:
        faults = _model_faults(schema, response)
    if not faults:
        return Verdict(1, "the response is JSON that the schema allows")
    first = faults[0]
    more = f" (and {len(faults) - 1} more)" if faults[1:] else ""
    return Verdict(0, f"at {first.text}: {first.why}{more}", tuple(faults))


def _no_json(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON value")


def _validator(schema: Mapping[str, Any]) -> Any:
    """What checks values against ``schema``; it fetches nothing from anywhere."""
    try:
        from jsonschema.exceptions import SchemaError
        from jsonschema.validators import validator_for
        from jsonschema_specifications import REGISTRY
    except ImportError:
        raise UsageError(
            "a JSON Schema as a mapping needs jsonschema: "
            "pip install pytest-llm-evaluation[json-schema], or give a pydantic model"
        ) from None
    kind = validator_for(schema)
    try:
        kind.check_schema(schema)
    except SchemaError as error:
        raise ValueError(f"no JSON Schema: at {error.json_path}: {error.message}") from None
    return kind(schema, registry=REGISTRY)


def _schema_faults(schema: Mapping[str, Any], value: object) -> list[Evidence]:
    from referencing.exceptions import Unresolvable

    try:
        faults = sorted(_validator(schema).iter_errors(value), key=lambda fault: fault.json_path)
    except Unresolvable as error:
        raise UsageError(f"json_schema: schema: a reference leads nowhere: {error}") from None
    except RecursionError:
        raise EvalError("json_schema: the schema refers to itself without end") from None
    return [Evidence("invalid", fault.json_path, shown(fault.message)) for fault in faults]


def _model_faults(model: type[BaseModel], response: str) -> list[Evidence]:
    try:
        model.model_validate_json(response, strict=True)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False, include_context=False)
        return [Evidence("invalid", _path(fault["loc"]), shown(fault["msg"])) for fault in faults]
    return []


def _path(location: Iterable[int | str]) -> str:
    """``location`` as a JSON path: ``$.items[0].name``."""
    return "$" + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in location)
