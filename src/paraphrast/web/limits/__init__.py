"""How much a request may ask for: bytes, texts, time, and how often."""
