"""The steps from the first schema to the last, for Alembic."""
