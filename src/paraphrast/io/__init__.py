"""Files in and out: text, TSV, JSONL and Parquet, each also gzipped, and the standard streams.

Reading streams: nothing is held whole, whatever the size. Writing is atomic: a file appears under
its name complete or not at all.
"""

from paraphrast.io.atomic import atomic_writer
from paraphrast.io.fields import FORMATS, Field, Value
from paraphrast.io.rows import Rows, chunks
from paraphrast.io.writers import check_target, write_table

__all__ = [
    "FORMATS",
    "Field",
    "Rows",
    "Value",
    "atomic_writer",
    "check_target",
    "chunks",
    "write_table",
]
