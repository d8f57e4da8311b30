"""The version, in one place; hatchling reads it from here."""

VERSION = "0.1.0"
