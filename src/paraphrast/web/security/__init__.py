"""Who may ask: tokens, hosts, origins, and what a browser may do with an answer."""
