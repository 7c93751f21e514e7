"""Formulas: arithmetic over named numbers, read as a tree and never run as Python.

Known are + - * / **, unary minus, parentheses, numbers, names, and the functions of FUNCTIONS. What a formula means is
told by a reading: its number here, its unit in studies/custom_rankings/dimensions.py, its SQL in run.py beside it.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping
from typing import Protocol, TypeVar

from registry.query.values import qualified_values
from registry.query.values.qualified_values import Number

LENGTH_LIMIT = 300  # characters
LARGEST_POWER = 64
LARGEST_CHOICE = 100_000  # members of a set; C(100000, n) is made in milliseconds
OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow)
FUNCTIONS = ("comb", "sqrt", "min", "max")


class FormulaError(ValueError):
    """The formula has something that is not known here, or can't be computed from these numbers."""


T = TypeVar("T")


class FormulaInterpreter(Protocol[T]):
    """What each part of a formula is, made of what its own parts are. Its methods raise FormulaError."""

    def read_number(self, value: float) -> T: ...

    def read_name(self, name: str) -> T:
        """Raises KeyError for a name that is not known."""

    def negate_value(self, value: T) -> T: ...

    def apply_operator(self, kind: type[ast.operator], left_operand: T, right: T) -> T: ...

    def call_function(self, function: str, arguments: list[T]) -> T: ...


def interpret_formula(formula: str, reading: FormulaInterpreter[T]) -> T:
    """What a formula is in a reading. Raises FormulaError for one that is too long or cannot be read."""
    if len(formula) > LENGTH_LIMIT:
        raise FormulaError(f"longer than {LENGTH_LIMIT} characters")
    try:
        return _interpret_node(ast.parse(formula.strip(), mode="eval").body, reading)
    except FormulaError:
        raise
    except (SyntaxError, ArithmeticError, TypeError, ValueError, RecursionError, MemoryError) as error:
        raise FormulaError(f"{formula}: {getattr(error, 'msg', error)}") from error


def _interpret_node(node: ast.expr, reading: FormulaInterpreter[T]) -> T:
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return reading.read_number(number)
        case ast.Name(id=name):
            try:
                return reading.read_name(name)
            except KeyError:
                pass
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return reading.negate_value(_interpret_node(operand, reading))
        case ast.BinOp(left=left, op=kind, right=right) if isinstance(kind, OPERATORS):
            return reading.apply_operator(type(kind), _interpret_node(left, reading), _interpret_node(right, reading))
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in FUNCTIONS:
            return reading.call_function(name, [_interpret_node(argument, reading) for argument in arguments])
    raise FormulaError(f"{ast.unparse(node)!r} is not known here")


def evaluate_formula(formula: str, values: Mapping[str, float]) -> float:
    """The number that a formula gives for named values: ("a / b - 1", {"a": 3, "b": 2}) -> 0.5.

    Raises FormulaError where it cannot be read or gives no real number.
    """
    value = interpret_formula(formula, _Number(values))
    try:
        return float(value)
    except (TypeError, OverflowError) as error:
        raise FormulaError(f"{formula}: {error}") from error


def evaluate_qualified(formula: str, values: Mapping[str, Number]) -> Number:
    """As `evaluate`, of numbers that may be about, below or above so much. Raises FormulaError."""
    return interpret_formula(formula, _Qualified(values))


def _safe_power(base: float, exponent: float) -> float:
    if abs(exponent) > LARGEST_POWER:
        raise FormulaError(f"no powers beyond {LARGEST_POWER}")
    return float(base**exponent)  # TypeError for roots of negative numbers, which are complex


def _combinations(members: float, drawn: float) -> int:
    if members > LARGEST_CHOICE:
        raise FormulaError(f"at most {LARGEST_CHOICE} members")
    return math.comb(round(members), round(drawn))


class _Number:
    """The number of a formula for named values."""

    operators: Mapping[type[ast.operator], Callable[[float, float], float]] = {
        ast.Add: operator.add,
        ast.Sub: operator.sub,
        ast.Mult: operator.mul,
        ast.Div: operator.truediv,
        ast.Pow: _safe_power,
    }
    functions: Mapping[str, Callable[..., float]] = {"comb": _combinations, "sqrt": math.sqrt, "min": min, "max": max}

    def __init__(self, values: Mapping[str, float]) -> None:
        self.values = values

    def read_number(self, value: float) -> float:
        return value

    def read_name(self, name: str) -> float:
        return self.values[name]

    def negate_value(self, value: float) -> float:
        return -value

    def apply_operator(self, kind: type[ast.operator], left_operand: float, right: float) -> float:
        return self.operators[kind](left_operand, right)

    def call_function(self, function: str, arguments: list[float]) -> float:
        return self.functions[function](*arguments)


class _Qualified:
    """The qualified number of a formula for named ones."""

    operators: Mapping[type[ast.operator], Callable[[Number, Number], Number]] = {
        ast.Add: operator.add,
        ast.Sub: operator.sub,
        ast.Mult: operator.mul,
        ast.Div: operator.truediv,
    }

    def __init__(self, values: Mapping[str, Number]) -> None:
        self.values = values

    def read_number(self, value: float) -> Number:
        return Number(value, value)

    def read_name(self, name: str) -> Number:
        return self.values[name]

    def negate_value(self, value: Number) -> Number:
        return -value

    def apply_operator(self, kind: type[ast.operator], left_operand: Number, right: Number) -> Number:
        if kind is not ast.Pow:
            return self.operators[kind](left_operand, right)
        if right.is_bound or abs(right.low) > LARGEST_POWER:
            raise FormulaError(f"no powers that are bounds, or beyond {LARGEST_POWER}")
        return left_operand.power(right.low)

    def call_function(self, function: str, arguments: list[Number]) -> Number:
        if function == "sqrt":
            (argument,) = arguments
            return argument.power(0.5)
        if function in ("min", "max"):
            return (qualified_values.least_number if function == "min" else qualified_values.largest_number)(arguments)
        if any(operand.is_bound for operand in arguments):
            raise FormulaError(f"{function} of what is only a bound")
        value = float(_Number.functions[function](*(operand.low for operand in arguments)))
        return Number(value, value, any(operand.rough for operand in arguments))
