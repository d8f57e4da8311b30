"""`paraphrast meta`: judge metrics against human ratings, and by minimal pairs."""

from paraphrast.cli.meta import stress
from paraphrast.cli.meta.ratings import app

app.command("stress")(stress.command)
