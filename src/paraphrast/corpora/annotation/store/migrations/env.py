"""What Alembic runs: the steps, on the connection and in the transaction that it is handed."""

from __future__ import annotations

from alembic import context

from paraphrast.corpora.annotation.store.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
    transactional_ddl=False,  # the caller has a transaction, and commits it
)
context.run_migrations()
