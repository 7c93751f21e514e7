"""Forms of pages: what a person sent, and what is wrong with it, said at the field it is about.

A page that refuses a form shows the same form again: the input kept, each error at its field, the first of them with
the focus, and the title says so (templates/problem.html, form_field.html, base.html).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any, ClassVar

from django import forms
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from registry.errors import Problem, Unavailable
from submissions.errors import Forbidden

PLAIN_ERRORS = {
    "min_value": "Enter %(limit_value)s or more.",
    "max_value": "Enter %(limit_value)s or less.",
    "max_length": "Enter at most %(limit_value)s characters. These are %(show_value)s.",
}
"""What is said of a value outside its bounds; the label of its field stands beside it."""


class PageForm(forms.Form):
    """A form that can be refused by what it asks for, not by its fields alone.

    `context_name` is the name under which pages show it. A refusal that names no field stands at the field that
    `fields_by_code` has for its code, else at `main_field`, or above the form where that is empty.
    """

    context_name: ClassVar[str] = "form"
    main_field: ClassVar[str] = ""
    fields_by_code: ClassVar[Mapping[str, str]] = {}
    problem: Problem | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Fields have ids of their form, so that two forms of a page share none."""
        if self.context_name != PageForm.context_name:
            kwargs.setdefault("auto_id", f"{self.context_name}_%s")
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            field.error_messages = {**PLAIN_ERRORS, **field.error_messages}

    def full_clean(self) -> None:
        """Check the fields, and let the first that is wrong take the focus."""
        super().full_clean()
        self._focus_first_error()

    def carry_out(self, act: Callable[..., Any]) -> bool:
        """Call `act` with the fields if they are valid. False where fields or `act` refuse: the errors say why.

        What is not there and what is out of order at the moment pass through as they are raised.
        """
        if not self.is_valid():
            return False
        try:
            act(**self.cleaned_data)
        except (Http404, Unavailable):
            raise
        except Problem as problem:
            self.add_refusal(problem)
            return False
        return True

    def add_refusal(self, problem: Problem) -> None:
        """Put what a refusal says at the fields that it names, else at `main_field`; the form has to be a sent one."""
        self.is_valid()
        self.problem = problem
        if isinstance(problem, Forbidden):
            self.add_error(None, _full_sentence(problem))
            return
        named = {name: why for name, why in (problem.errors or {}).items() if name in self.fields}
        for name, why in named.items():
            self.add_error(name, [str(words) for words in why])
        if named and problem.detail != problem.title:
            self.add_error(None, problem.detail)
        if not named:
            self.add_error(self.fields_by_code.get(problem.code) or self.main_field or None, _full_sentence(problem))
        self._focus_first_error()

    @property
    def status(self) -> int:
        """The HTTP status of a page that shows the form: that of the refusal, 422 for fields that are not valid."""
        if self.problem is not None:
            return self.problem.status
        return HTTPStatus.UNPROCESSABLE_ENTITY if self.errors else HTTPStatus.OK

    def _focus_first_error(self) -> None:
        for name in [name for name in self.fields if name in self.errors][:1]:
            self.fields[name].widget.attrs["autofocus"] = True


def form_page(
    request: HttpRequest, template: str, context: Mapping[str, Any], refused: PageForm | None = None
) -> HttpResponse:
    """A page with its forms; the one that was refused stands in the place of the empty one of its name."""
    if refused is None:
        return render(request, template, dict(context))
    page_context = dict(context) | {refused.context_name: refused, "refused": refused}
    return render(request, template, page_context, status=refused.status)


def _full_sentence(problem: Problem) -> str:
    """Title, detail and hint of a refusal, each once."""
    title = f"{problem.title.removesuffix('.')}."
    others = [words for words in (problem.detail, problem.page_hint) if words and words != problem.title]
    named = [f"{name}: {' '.join(map(str, why))}" for name, why in (problem.errors or {}).items()]
    return " ".join([title, *named, *others])
