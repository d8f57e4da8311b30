"""Translation by programs of this machine that map lines to lines."""
