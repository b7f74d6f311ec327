"""Queries of Peewee as text for an engine, and queries that are built once.

Building a query takes Peewee longer than it takes an engine to run most of them. What each request or write runs is
therefore a function with `@prepared`. It is called once, with a placeholder for each argument; from then on its text
is sent with the values of the arguments, each converted as its column is.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec

from msgspec import Struct
from peewee import Context, Field, ForeignKeyField, ModelInsert, SelectQuery

P = ParamSpec("P")
Convert = Callable[[Any], Any]


class Argument:
    """Stands for an argument of a query, or an attribute of one, while the query is built: its value is not known."""

    def __init__(self, argument: int, attribute: str = "") -> None:
        self._argument = argument
        self._attribute = attribute

    def __getattr__(self, name: str) -> "Argument":
        if name.startswith("_") or self._attribute:
            raise AttributeError(name)
        return Argument(self._argument, name)

    def __bool__(self) -> bool:
        raise TypeError("A prepared query is built before its arguments have values.")

    @staticmethod
    def value_of(argument: "Argument", values: Sequence[object]) -> object:
        """Return the value that an argument stands for. Every other name is an attribute of the argument."""
        value = values[argument._argument]
        return getattr(value, argument._attribute) if argument._attribute else value


class _Slot(Struct, frozen=True):
    """A value of a compiled query that is an argument, and the conversion of its column."""

    argument: Argument
    convert: Convert | None

    def value(self, arguments: Sequence[object]) -> object:
        value = Argument.value_of(self.argument, arguments)
        return self.convert(value) if self.convert else value


class _PreparedContext(Context):
    """Compiles a prepared query. Its constants become a part of the text, so that they select partial indexes."""

    def value(self, value: object, converter: Any = None, add_param: bool = True) -> Any:
        if isinstance(value, Argument):
            value = _Slot(value, self.state.converter if converter is None else converter or None)
            converter = False
        elif add_param:
            return super().value(value, converter)
        with self(value_literals=False):
            return super().value(value, converter, add_param)

    def as_new(self) -> "_PreparedContext":
        return _PreparedContext(**self.state.settings)


class CompiledQuery:
    """A query as text for one engine."""

    def __init__(self, query: Any, text: str, values: Sequence[object]) -> None:
        self.text = text
        self.is_insert = isinstance(query, ModelInsert)
        self._query = query
        self._values = values
        self._converts: tuple[tuple[int, Convert], ...] | None = None

    def values(self, arguments: Sequence[object]) -> list[object]:
        """Return the values that go with the text."""
        return [value.value(arguments) if isinstance(value, _Slot) else value for value in self._values]

    def rows(self, cursor: Any) -> list[tuple[Any, ...]]:
        """Return the rows of a cursor that ran the text, as Python values."""
        if self._converts is None:
            rows = self._query.tuples().execute(_Executed(_Columns(tuple(cursor.description))))
            rows.initialize()
            self._converts = tuple(_conversions(getattr(rows, "converters", ())))
        rows = cursor.fetchall()
        return list(map(self._converted, rows)) if self._converts else rows

    def _converted(self, row: tuple[Any, ...]) -> tuple[Any, ...]:
        values = [*row]
        for place, convert in self._converts or ():
            values[place] = convert(values[place])
        return tuple(values)


def _conversions(converts: Sequence[Convert | None]) -> Iterator[tuple[int, Convert]]:
    """Yield the conversions of columns, by their places, but those of numbers and texts, which engines return."""
    for place, convert in enumerate(converts):
        field = getattr(convert, "__self__", None)
        while isinstance(field, ForeignKeyField):
            field = field.rel_field
        if convert is not None and getattr(type(field), "python_value", None) is not Field.python_value:
            yield place, convert


class _Columns(Struct, frozen=True):
    """The columns of a cursor without the cursor, which would keep its connection open."""

    description: tuple[Any, ...]


class _Executed(Struct, frozen=True):
    """The cursor of a query that ran already, in place of Peewee's database."""

    cursor: Any
    returning_clause: bool = True

    def execute(self, _query: Any) -> Any:
        """Return the cursor. Peewee calls this method by its name."""
        return self.cursor


class _Prepared:
    """A query that is built once for each engine."""

    def __init__(self, build: Callable[..., Any]) -> None:
        self.build = build
        self.names = tuple(signature(build).parameters)
        self.compiled: dict[Dialect, CompiledQuery] = {}


class BoundQuery(Struct, frozen=True):
    """A prepared query with its arguments. Sessions run it like any other query."""

    prepared: _Prepared
    arguments: tuple[object, ...]


def prepared(build: Callable[P, Any]) -> Callable[P, BoundQuery]:
    """Build the query that a function returns only once. Its arguments are values of the query."""
    query = _Prepared(build)

    @wraps(build)
    def bind(*values: P.args, **named: P.kwargs) -> BoundQuery:
        return BoundQuery(query, (*values, *(named[name] for name in query.names[len(values) :])))

    return bind


class Dialect:
    """How one engine writes queries: Peewee's options, and the function that writes placeholders of values."""

    def __init__(self, options: Mapping[str, Any], place: Callable[[str], str] = str) -> None:
        self._options = options
        self._place = place

    def compile(self, query: Any, adapt: Convert = lambda query: query) -> tuple[CompiledQuery, Sequence[object]]:
        """Return a query as text, and its values; `adapt` returns the query that is compiled in its place."""
        if not isinstance(query, BoundQuery):
            whole = self._compile(adapt(query), Context(**self._options))
            return whole, whole.values(())
        compiled = query.prepared.compiled.get(self)
        if compiled is None:
            names = query.prepared.names
            built = adapt(query.prepared.build(*map(Argument, range(len(names)))))
            compiled = self._compile(built, _PreparedContext(**self._options, value_literals=True))
            query.prepared.compiled[self] = compiled
        return compiled, compiled.values(query.arguments)

    def _compile(self, query: Any, context: Any) -> CompiledQuery:
        text, values = context.sql(query).query()
        return CompiledQuery(query, self._place(text), values)


def first_only(query: Any) -> Any:
    """Limit a query of Peewee to one row. A prepared query has its own limit."""
    return query.limit(1) if isinstance(query, SelectQuery) else query
