"""Speed against the reference tools: same machine, same run, same pairs."""
