"""The door for programs and people without Python: an HTTP API, web pages, and MCP."""
