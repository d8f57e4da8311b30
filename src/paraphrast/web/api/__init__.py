"""The HTTP API: bodies and answers as pydantic models, one file for each verb."""
