"""The annotation desk from outside; without its packages the extra is named."""

from importlib import import_module

from paraphrast.errors import MissingExtra

for _package in ("sqlalchemy", "alembic", "argon2"):
    try:
        import_module(_package)
    except ModuleNotFoundError as error:
        raise MissingExtra("annotate", _package) from error
