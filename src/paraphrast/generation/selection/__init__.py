"""From candidates to outputs: what is refused, how the rest is ranked."""
