"""The use cases: each joins several rooms into one call that Python, CLI and web share."""
