"""Evidence in plain sight that no network should overrule: numbers, names, addresses and code."""
