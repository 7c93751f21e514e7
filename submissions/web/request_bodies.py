"""Bodies of requests that write: each is held against the shape that its operation declares, before anything is done.

An ignored field would leave its default in force, and some defaults can't be undone once they were acted on. So no
field is ignored, at any depth, in JSON as in forms, and none may come twice. Nor is anything in the query ignored.
What begins with `x_` is the sender's own: it passes, and nothing reads it.
"""

from __future__ import annotations

import codecs
import difflib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NoReturn, TypeAlias, TypeVar

from django.http import HttpRequest, QueryDict
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers as s
from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser, FormParser, JSONParser
from rest_framework.request import Request
from rest_framework.utils.json import strict_constant
from rest_framework.views import APIView

from registry.query.questions.filters import UnknownParameter, refuse_unknown
from registry.web.api_base import COMMON_NAMES
from submissions.errors import RepeatedField, UnknownField
from submissions.web.strict_json import object_without_repeats

WRITING = ("POST", "PUT", "PATCH", "DELETE")
CSRF_FIELD = "csrfmiddlewaretoken"
"""What pages put into every form, beside its fields."""
NAME_SHOWN, NAMES_SHOWN = 80, 20
OWN_PREFIX = "x_"
"""Begins a field of the sender's own, which no operation will ever declare."""

Method = TypeVar("Method", bound=Callable[..., Any])
Fields: TypeAlias = "Mapping[str, s.Field[Any, Any, Any, Any]]"


def write_operation(*, request: Any = None, **document: Any) -> Callable[[Method], Method]:
    """`extend_schema` of an operation that writes; its bodies are held against `request`.

    A serializer class, or one by media type. None: it takes no body. OpenApiTypes.OBJECT: names are not fixed.
    The names that its query may have are those of `parameters`.
    """

    def decorate(method: Method) -> Method:
        method.body = next(iter(request.values())) if isinstance(request, dict) else request  # type: ignore[attr-defined]  # read by WritingView
        method.query = [parameter.name for parameter in document.get("parameters", ())]  # type: ignore[attr-defined]  # read by WritingView
        return extend_schema(request=request, **document)(method)

    return decorate


class StrictJSONParser(JSONParser):
    """JSON in which no object has a name twice: of two values the last would count, and nothing would say so."""

    def parse(self, stream: Any, media_type: str | None = None, parser_context: Mapping[str, Any] | None = None) -> Any:
        """Read a body as strict JSON. Raises ParseError for what is none, repeats a name or nests too deeply."""
        encoding = (parser_context or {}).get("encoding", "utf-8")
        try:
            return json.load(
                codecs.getreader(encoding)(stream),
                parse_constant=strict_constant,
                object_pairs_hook=object_without_repeats,
            )
        except (ValueError, RecursionError) as error:
            raise ParseError(f"JSON parse error - {error}") from error


class WritingView(APIView):
    """A view whose writing methods are declared with `writes`; AttributeError for one that is not."""

    parser_classes: Sequence[type[BaseParser]] = [StrictJSONParser]
    reads_ahead = True
    """Whether the body is held before the method runs; an upload is read once it is clear who may send it."""

    def get_parsers(self) -> list[BaseParser]:
        """JSON unless the view says otherwise; without a body also what a page's form sends beside its fields."""
        form = [FormParser()] if self.request.method in WRITING and self.shape() is None else []
        return [*super().get_parsers(), *form]

    def initialize_request(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Request:
        self.request = request  # type: ignore[assignment]  # until Django's own is wrapped
        return HeldRequest(
            request,
            parsers=self.get_parsers(),
            authenticators=self.get_authenticators(),
            negotiator=self.get_content_negotiator(),
            parser_context=self.get_parser_context(request),
        )

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        method = getattr(self, request.method.lower(), None) if request.method in WRITING else None
        if method is None:
            return
        refuse_misplaced(request.query_params, [*method.query, *COMMON_NAMES], method.body)
        if self.reads_ahead:
            request.data  # noqa: B018  also of a method that takes no body: nothing of it is ignored

    def shape(self) -> Any:
        """What the method of this request declares; None also for a method that the address does not take."""
        method = getattr(self, (self.request.method or "").lower(), None)
        return None if method is None else method.body


class Choice(s.ChoiceField):
    """A choice whose refusal says what may be chosen, and repeats no long value."""

    def fail(self, key: str, **kwargs: Any) -> NoReturn:
        """Refuse a value; an unknown choice gets all choices in its message. Raises ValidationError always."""
        if key == "invalid_choice":
            raise s.ValidationError(f"It must be one of {', '.join(map(str, self.choices))}.", code=key)
        super().fail(key, **kwargs)


class JSONBoolean(s.BooleanField):
    """`true` or `false` of JSON and nothing that looks like one: "yes", "no", 1 and "on" are refused."""

    default_error_messages = {"invalid": "Send true or false, without quotation marks."}

    def to_internal_value(self, data: Any) -> bool:
        """The value itself. Raises ValidationError for what is no boolean."""
        if not isinstance(data, bool):
            self.fail("invalid")
        return data


@extend_schema_field(OpenApiTypes.OBJECT)
class JSONObject(s.JSONField):
    """A JSON object whose names are not fixed."""


class HeldRequest(Request):
    """A request whose body is refused, when it is read, unless its operation declares every field of it."""

    _data: Any
    _files: Any

    def _load_data_and_files(self) -> None:
        super()._load_data_and_files()  # type: ignore[misc]  # the stubs leave it out
        if self.method in WRITING:
            if not self._data and not self.META.get("CONTENT_LENGTH") and "chunked" in _body_encoding(self):
                _refuse_unread(self)
            _require_declared(self, self.parser_context["view"].shape())


def _body_encoding(request: Request) -> str:
    return str(request.META.get("HTTP_TRANSFER_ENCODING", "")).lower()


def _refuse_unread(request: Request) -> None:
    """A body of unannounced length is not read; of one that may be left out, nothing else would say so."""
    if "json" in (request.content_type or ""):
        raise ParseError("The body came without a Content-Length.")


def _require_declared(request: HeldRequest, shape: Any) -> None:
    """Raises UnknownField, RepeatedField, ValidationError."""
    if shape is OpenApiTypes.OBJECT:
        return
    fields = {} if shape is None else _declared_fields(shape)
    if isinstance(request._data, QueryDict):
        _hold_form(request._data, request._files, getattr(request, "skipped_files", []), fields)
    elif shape is None and request._data and not isinstance(request._data, dict):
        raise s.ValidationError({"non_field_errors": ["This address takes no body."]})
    else:
        _refuse_unknown(_unknown_names(request._data, fields))


def refuse_misplaced(query: QueryDict, parameter_names: Iterable[str], shape: Any) -> None:
    """Raises UnknownParameter for a name that the address does not take; says so of a field of the body."""
    fields = {} if shape in (None, OpenApiTypes.OBJECT) else _declared_fields(shape)
    for name in query:
        if name in fields and name not in parameter_names:
            why = f"Send {name} in the body: it is none of the address."
            raise UnknownParameter(why, hint="Nothing was changed.", errors={name: [why]})
    refuse_unknown(query, parameter_names)


@cache
def _declared_fields(shape: type[s.Serializer[Any]]) -> Fields:
    return shape().fields


def _hold_form(texts: QueryDict, files: Any, skipped: Iterable[str], fields: Fields) -> None:
    sent = [*((name, False) for name in texts if name != CSRF_FIELD), *((name, True) for name in [*files, *skipped])]
    _refuse_unknown(
        (name, list(fields)) for name, is_file in sent if name not in fields and (is_file or not _own(name))
    )
    for name, is_file in sent:
        if name in fields and is_file != isinstance(fields[name], s.FileField):
            raise s.ValidationError({name: ["Send it as text, not as a file." if is_file else "Send it as a file."]})
    if second := [name for name in files for _ in files.getlist(name)][1:] + list(skipped):
        raise RepeatedField(second[0])  # one file is taken, whatever its field is called
    for name in texts:
        if len(texts.getlist(name)) > 1 and not isinstance(fields.get(name), s.ListField):
            raise RepeatedField(name)


def _unknown_names(document: Any, fields: Fields, within: str = "") -> Iterator[tuple[str, list[str]]]:
    """Path of each name that is not declared, with the names that are, also inside of objects that are declared."""
    if not isinstance(document, dict):
        return  # the serializer says what it should be
    for name, value in document.items():
        if name not in fields:
            if not _own(name):
                yield f"{within}{name}", [f"{within}{field_name}" for field_name in fields]
            continue
        field = fields[name]
        inner = field.child if isinstance(field, s.ListSerializer | s.ListField) else field
        if isinstance(inner, s.Serializer):
            listed = value if isinstance(value, list) else [value]
            for index, element in enumerate(listed):
                place = f"{within}{name}.{index}." if inner is not field else f"{within}{name}."
                yield from _unknown_names(element, inner.fields, place)


def _own(name: str) -> bool:
    return name.startswith(OWN_PREFIX)


def _refuse_unknown(unknown: Iterable[tuple[str, list[str]]]) -> None:
    errors: dict[str, list[str]] = {}
    for name, known_names in unknown:
        errors.setdefault(name[:NAME_SHOWN], [_name_hint(name, known_names)])
        if len(errors) == NAMES_SHOWN:
            break
    if errors:
        name, (why,) = next(iter(errors.items()))
        raise UnknownField(f"There is no field {name}. {why}", hint=f"{why} Nothing was changed.", errors=errors)


def _name_hint(name: str, known_names: list[str]) -> str:
    close = difflib.get_close_matches(name[:NAME_SHOWN].lower(), known_names, n=1, cutoff=0.5)
    if close:
        return f"Did you mean {close[0]}?"
    return f"Known are {', '.join(sorted(known_names))}." if known_names else "No field is known here."


def with_closed_bodies(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """The OpenAPI document in which each body of a request says that it takes no field but its own and `x_...`."""
    schemas = result["components"]["schemas"]
    operations = (operation for methods in result["paths"].values() for operation in methods.values())
    bodies = [kind["schema"] for row in operations for kind in row.get("requestBody", {}).get("content", {}).values()]
    while bodies:
        body = bodies.pop()
        body = schemas[body["$ref"].rpartition("/")[2]] if "$ref" in body else body
        if "properties" in body and "additionalProperties" not in body:
            body |= {"additionalProperties": False, "patternProperties": {f"^{OWN_PREFIX}": {}}}
            bodies += [part for field in body["properties"].values() for part in (field, field.get("items", {}))]
    return result
