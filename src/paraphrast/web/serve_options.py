"""The options of `paraphrast serve`."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import Annotated

from paraphrast.errors import ConfigError
from paraphrast.models.session import check_place
from paraphrast.options import Option

SAFETY, LIMITS, SPEED = "Who may ask", "Limits", "Models and speed"
PORT = 8765


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions:
    """Where the server listens, whom it answers, and how much it takes on."""

    host: Annotated[str, Option("Address to listen on.")] = "127.0.0.1"
    port: Annotated[int, Option("Port to listen on; 0 takes a free one.", "-p", "--port")] = PORT
    mcp: Annotated[
        bool, Option("Speak MCP on standard input and output instead; nothing is listened on.")
    ] = False
    mcp_http: Annotated[bool, Option("Serve MCP under /mcp as well.")] = False
    token_file: Annotated[
        str | None,
        Option("File whose first line every client must send as its token.", panel=SAFETY),
    ] = None
    open: Annotated[
        bool, Option("Answer everyone who reaches an address beyond this machine.", panel=SAFETY)
    ] = False
    most_texts: Annotated[int, Option("Texts, or pairs, in one request.", panel=LIMITS)] = 512
    most_characters: Annotated[int, Option("Characters of one text.", panel=LIMITS)] = 20_000
    most_bytes: Annotated[int, Option("Bytes of one request of the API.", panel=LIMITS)] = 4_000_000
    most_upload: Annotated[int, Option("Bytes of all files of one upload.", panel=LIMITS)] = (
        64_000_000
    )
    most_waiting: Annotated[
        int, Option("Texts that wait for their turn; beyond, 429 is answered.", panel=LIMITS)
    ] = 2048
    rate: Annotated[
        float, Option("Requests per second of one client; 0 is any number.", panel=LIMITS)
    ] = 100.0
    time_limit: Annotated[float, Option("Seconds an answer may take.", panel=LIMITS)] = 120.0
    threads: Annotated[
        int | None, Option("Threads of a model; one for each core.", panel=SPEED)
    ] = None
    device: Annotated[str, Option("Where models run: cpu, cuda or cuda:N.", panel=SPEED)] = "cpu"
    batch: Annotated[int, Option("Texts that are read together, of all clients.", panel=SPEED)] = 64

    def __post_init__(self) -> None:
        check_place(self.threads, self.device)
        if not 0 <= self.port < 65536:
            raise ConfigError(f"port must lie between 0 and 65535; got {self.port}")
        for name in ("most_texts", "most_characters", "most_bytes", "most_upload", "batch"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} must be at least 1; got {getattr(self, name)}")
        if self.most_waiting < self.most_texts:
            raise ConfigError(
                f"most_waiting={self.most_waiting} is less than most_texts={self.most_texts}: the "
                "largest request would never be taken"
            )
        if not self.rate >= 0 or not self.time_limit > 0:
            raise ConfigError("rate must not be negative, and time_limit must be positive")
        if self.mcp and self.mcp_http:
            raise ConfigError("--mcp listens on nothing; choose one of --mcp and --mcp-http")
        if not (self.mcp or self.is_loopback or self.token_file or self.open):
            raise ConfigError(
                f"{self.host} can be reached from other machines: give --token-file FILE, so that "
                "clients must know a token, or say --open to answer everyone"
            )

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach the address."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host.strip("[]")).is_loopback
        except ValueError:
            return False
