"""Parquet through pyarrow, which is imported only when a Parquet file is read or written."""

from __future__ import annotations

import tempfile
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib import import_module
from typing import IO, Any

from paraphrast.errors import InputError, MissingExtra
from paraphrast.io.fields import Field, Value, repeated
from paraphrast.io.readers import Block
from paraphrast.io.streams import Source, reason

BATCH_ROWS = 8192
_BATCH_BYTES = 8 << 20
_READ_BUFFER = 1 << 16  # without one, pyarrow reads whole column chunks
_UNFIT = "the values do not fit into one Parquet column"


def read_parquet(source: Source, fields: Sequence[Field]) -> Generator[Block, None, None]:
    """Text columns and lists of text, dictionary-encoded or not, batch by batch."""
    parquet = _module("pyarrow.parquet")
    with source.seekable() as file:
        if not file.seek(0, 2):
            return
        with _naming(source):
            table = parquet.ParquetFile(
                file, page_checksum_verification=True, buffer_size=_READ_BUFFER
            )
        names = _chosen(source, table.schema_arrow, fields)
        batches = table.iter_batches(
            _batch_rows(table.metadata), columns=sorted(set(names)), use_threads=False
        )
        while (batch := _next(source, batches)) is not None:
            yield [_values(source, batch.column(name), name) for name in names]


def _module(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise MissingExtra("parquet", "pyarrow") from error


@contextmanager
def _naming(source: Source) -> Iterator[None]:
    """Turn what pyarrow says of a damaged file into an error that names the file."""
    try:
        yield
    except (_module("pyarrow").ArrowException, OSError, ValueError) as error:
        raise InputError(
            f"{source.label}: not a Parquet file, or a damaged one, after {source.rows} rows "
            f"({_first_line(error)})"
        ) from error


def _next(source: Source, batches: Iterator[Any]) -> Any:
    with _naming(source):
        return next(batches, None)


def _chosen(source: Source, schema: Any, fields: Sequence[Field]) -> list[str]:
    if (name := repeated(schema.names)) is not None:
        raise InputError(f"{source.label}: two columns are named {name!r}; rename one")
    names = [field.choose(schema.names, source.label) for field in fields]
    for name in names:
        found = schema.field(name).type
        if not _is_readable(found):
            raise InputError(
                f"{source.label}: column {name!r} has type {found}; "
                "text (string) or a list of texts is needed"
            )
    return names


def _is_readable(found: Any) -> bool:
    types = _module("pyarrow").types
    if types.is_list(found) or types.is_large_list(found) or types.is_fixed_size_list(found):
        found = found.value_type
    if types.is_dictionary(found):
        found = found.value_type
    is_text = types.is_string(found) or types.is_large_string(found) or types.is_null(found)
    return bool(is_text)


def _batch_rows(metadata: Any) -> int:
    """Fewer rows at a time when rows are big, so that memory stays flat."""
    groups = [metadata.row_group(index) for index in range(metadata.num_row_groups)]
    widest = max((group.total_byte_size // max(group.num_rows, 1) for group in groups), default=0)
    return int(max(1, min(BATCH_ROWS, _BATCH_BYTES // max(widest, 1))))


def _values(source: Source, column: Any, name: str) -> list[Value]:
    types = _module("pyarrow").types
    try:
        if types.is_dictionary(column.type):
            column = column.dictionary_decode()
        values: list[Value] = column.to_pylist()
    except UnicodeDecodeError as error:
        row = source.rows + _undecodable(column) + 1
        raise InputError(
            f"{source.label}, row {row}: column {name!r} is not valid UTF-8"
        ) from error
    if types.is_nested(column.type) and column.flatten().null_count:
        _refuse_nulls(source, values, name)
    return values


def _undecodable(column: Any) -> int:
    for index in range(len(column)):
        try:
            column[index].as_py()
        except UnicodeDecodeError:
            return index
    return len(column)


def _refuse_nulls(source: Source, values: list[Any], name: str) -> None:
    for row, value in enumerate(values, start=source.rows + 1):
        if value is not None and None in value:
            raise InputError(
                f"{source.label}, row {row}: column {name!r} holds a list with null at position "
                f"{value.index(None) + 1}; text, a list of texts or null is needed"
            )


def _first_line(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0]


def write_parquet(file: IO[bytes], chunks: Iterable[list[Mapping[str, object]]]) -> None:
    """Write lists of rows that all have the same keys, holding one list at a time."""
    with ParquetSpool() as spool:
        for chunk in chunks:
            spool.add({name: [row[name] for row in chunk] for name in chunk[0]})
        spool.write(file)


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns of a file, in order; one that no row had is null.

    A column of `nested` is a struct of the fields that are named; its fields are added to the
    spool as columns of their own, under the name that `inner` gives. Those of `constant` come last
    and have one value, whatever the row.
    """

    columns: Sequence[str]
    nested: Mapping[str, Sequence[str]]
    constant: Mapping[str, object]
    schema: Any = None
    """The types of the spool's columns; those of its own rows unless given."""

    def typed(self, spools: Sequence[ParquetSpool], known: Mapping[str, str]) -> Layout:
        """Return the layout with one schema for several spools: `known` types, the rest unified.

        A type is "string", "double", "int64" or a list of these, "list<string>".
        """
        whole = _module("pyarrow").schema([])
        for spool in spools:
            whole = _unified(whole, spool.schema)
        return replace(self, schema=_with_types(whole, known))


def inner(column: str, field: str) -> str:
    """Return what a field of a nested column is called in a spool."""
    return f"{column}\0{field}"


class ParquetSpool:
    """Rows that wait in a temporary file, as columns, until the types of all are known.

    Types come from all rows, not from the first: a column may begin with nulls or whole numbers and
    turn to text or fractions later. One chunk is held at a time, and becomes a row group.
    """

    def __init__(self) -> None:
        self._schema = _module("pyarrow").schema([])
        self._file = tempfile.TemporaryFile()  # noqa: SIM115  (closed by __exit__)
        self._sizes: list[int] = []

    def __enter__(self) -> ParquetSpool:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, columns: Mapping[str, list[Any]]) -> None:
        """Take a chunk of rows: the values of each column."""
        table = _table(columns, sum(self._sizes))
        self._schema = _unified(self._schema, table.schema)
        _set_aside(table, self._file)
        self._sizes.append(table.num_rows)

    @property
    def schema(self) -> Any:
        """The types that the rows so far need."""
        return self._schema

    def write(self, file: IO[bytes], layout: Layout | None = None) -> None:
        """Write all chunks to a file, as they were added or in another layout."""
        parquet, shape = _module("pyarrow.parquet"), self._schema
        if layout is not None and layout.schema is not None:
            shape = layout.schema
        tables = self._tables(shape)
        if layout is not None and shape.names:
            shape = _laid_out(shape.empty_table(), layout).schema
        with parquet.ParquetWriter(file, shape, write_page_checksum=True) as writer:
            for table in tables:
                writer.write_table(table if layout is None else _laid_out(table, layout))

    def _tables(self, schema: Any) -> Iterator[Any]:
        arrow = _module("pyarrow")
        self._file.seek(0)
        for _ in self._sizes:
            with arrow.ipc.open_stream(self._file) as stream:
                yield _widened(stream.read_all(), schema)


def _set_aside(table: Any, spool: IO[bytes]) -> None:
    try:
        with _module("pyarrow").ipc.new_stream(spool, table.schema) as stream:
            stream.write_table(table)
    except OSError as error:
        raise InputError(
            f"cannot keep rows in {tempfile.gettempdir()}: {reason(error)}; "
            "set TMPDIR to a folder with more room"
        ) from error


def _table(columns: Mapping[str, list[Any]], before: int) -> Any:
    arrow = _module("pyarrow")
    arrays = {}
    for name, values in columns.items():
        try:
            # from_pandas makes NaN a null while it still counts as a number for the column's type
            arrays[name] = arrow.array(values, from_pandas=True)
        except (arrow.ArrowException, OverflowError, UnicodeEncodeError) as error:
            shown = name.replace("\0", ".")
            raise InputError(
                f"rows {before + 1} to {before + len(values)}, column {shown!r}: "
                f"{_UNFIT} ({_first_line(error)})"
            ) from error
    return arrow.table(arrays)


def _laid_out(table: Any, layout: Layout) -> Any:
    """Return the table of a spool as it is written."""
    arrow, rows = _module("pyarrow"), table.num_rows
    there = dict(zip(table.column_names, table.columns, strict=True))

    def column(name: str) -> Any:
        found = there.get(name)
        return arrow.nulls(rows) if found is None else found.combine_chunks()

    arrays = {}
    for name in layout.columns:
        fields = layout.nested.get(name)
        arrays[name] = (
            arrow.StructArray.from_arrays([column(inner(name, one)) for one in fields], [*fields])
            if fields
            else column(name)
        )
    first = arrow.array([0] * rows, arrow.int64())
    for name, value in layout.constant.items():
        arrays[name] = arrow.array([value]).take(first)
    return arrow.table(arrays)


def _unified(first: Any, second: Any) -> Any:
    arrow = _module("pyarrow")
    if first.equals(second):
        return first
    try:
        return arrow.unify_schemas([first, second], promote_options="permissive")
    except arrow.ArrowException as error:
        raise InputError(f"{_UNFIT} ({_first_line(error)})") from error


def _with_types(schema: Any, known: Mapping[str, str]) -> Any:
    """Return the schema with known types; of what no row had a value, the type is known as well.

    A column whose values are of another kind keeps its own.
    """
    arrow = _module("pyarrow")
    for name, said in known.items():
        kind = said.removeprefix("list<").removesuffix(">")
        wanted = getattr(arrow, {"double": "float64"}.get(kind, kind))()
        wanted = arrow.list_(wanted) if kind != said else wanted
        place = schema.get_field_index(name)
        if place < 0:
            schema = schema.append(arrow.field(name, wanted))
        elif _fits(schema.field(place).type, wanted):
            schema = schema.set(place, arrow.field(name, wanted))
    return schema


def _fits(found: Any, wanted: Any) -> bool:
    """Tell whether values of one type can be written as another without loss."""
    types = _module("pyarrow").types
    if types.is_list(found) and types.is_list(wanted):
        return _fits(found.value_type, wanted.value_type)
    whole = types.is_integer(found) and types.is_floating(wanted)
    return bool(types.is_null(found) or whole or found.equals(wanted))


def _widened(table: Any, schema: Any) -> Any:
    """Return the table with the columns and types of all chunks."""
    arrow = _module("pyarrow")
    there = set(table.column_names)
    columns = {
        field.name: table.column(field.name)
        if field.name in there
        else arrow.nulls(table.num_rows, field.type)
        for field in schema
    }
    try:
        return arrow.table(columns).cast(schema)
    except arrow.ArrowException as error:
        raise InputError(f"{_UNFIT} ({_first_line(error)})") from error
