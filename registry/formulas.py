"""Formulas of data files: arithmetic over named numbers, read as a tree and never run as Python.

Known are + - * / **, unary minus, parentheses, numbers, names, and the functions of FUNCTIONS.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping

LENGTH_LIMIT = 300  # characters
LARGEST_POWER = 64
LARGEST_CHOICE = 100_000  # members of a set; C(100000, n) is made in milliseconds


class FormulaError(ValueError):
    """The formula has something that is not known here, or can't be computed from these numbers."""


def _power(base: float, exponent: float) -> float:
    if abs(exponent) > LARGEST_POWER:
        raise FormulaError(f"no powers beyond {LARGEST_POWER}")
    return base**exponent


def _comb(members: float, drawn: float) -> int:
    if members > LARGEST_CHOICE:
        raise FormulaError(f"at most {LARGEST_CHOICE} members")
    return math.comb(round(members), round(drawn))


_OPERATORS: Mapping[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: _power,
}
FUNCTIONS: Mapping[str, Callable[..., float]] = {"comb": _comb, "sqrt": math.sqrt, "min": min, "max": max}


def evaluate(formula: str, values: Mapping[str, float]) -> float:
    """The number that a formula gives for named values: ("a / b - 1", {"a": 3, "b": 2}) -> 0.5. Raises FormulaError."""
    if len(formula) > LENGTH_LIMIT:
        raise FormulaError(f"longer than {LENGTH_LIMIT} characters")
    try:
        return float(_value(ast.parse(formula, mode="eval").body, values))
    except (SyntaxError, ZeroDivisionError, OverflowError, TypeError, RecursionError) as error:
        raise FormulaError(f"{formula}: {error}") from error


def _value(node: ast.expr, values: Mapping[str, float]) -> float:
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return number
        case ast.Name(id=name) if name in values:
            return values[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, values)
        case ast.BinOp(left=left, op=kind, right=right) if type(kind) in _OPERATORS:
            return _OPERATORS[type(kind)](_value(left, values), _value(right, values))
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in FUNCTIONS:
            return FUNCTIONS[name](*(_value(argument, values) for argument in arguments))
    raise FormulaError(f"{ast.unparse(node)!r} is not known here")
