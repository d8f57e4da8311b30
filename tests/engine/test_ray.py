"""The same stages on a real Ray, started for the test: the same bytes."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from paraphrast.engine.pool import make_engine
from paraphrast.engine.ray import Ray
from paraphrast.engine.stages import Stages, silent
from paraphrast.engine.task import POISON
from paraphrast.errors import ConfigError, InputError, MissingExtra
from tests.engine.steps import Deadly, Upper
from tests.engine.test_stages import began, files_of, ran

ray = pytest.importorskip("ray", reason="the extra `ray` is not installed")
ROOT = Path(__file__).parents[2]

pytestmark = [  # of Ray itself, at its start and end
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture(scope="module")
def cluster() -> Iterator[str]:
    """A Ray of two cores, joined by its address as a cluster is."""
    found = ray.init(
        num_cpus=2,
        include_dashboard=False,
        log_to_driver=False,
        logging_level="error",
        runtime_env={"env_vars": {"PYTHONPATH": str(ROOT)}},
    )
    yield found.address_info["address"]
    ray.shutdown()


def test_ray_leaves_the_bytes_of_one_process(cluster: str, tmp_path: Path) -> None:
    alone = files_of(ran(tmp_path / "one", Upper()))
    found = Stages(tmp_path / "ray", Ray(address=cluster), silent, 8)
    made = found.step(Upper(), began(found))
    assert files_of(made) == alone
    assert made.counts.dropped == {"no": 8}
    again = found.step(Upper(), began(found))
    assert again.kept


def test_ray_goes_on_with_shards_of_processes(cluster: str, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    first = ran(tmp_path / "work", Upper(seen))
    (first.shards.folder / "done.json").unlink()
    first.shards.counts_file(3).unlink()
    found = Stages(tmp_path / "work", Ray(address=cluster), silent, 8)
    found.step(Upper(seen), began(found))
    assert seen.read_text().split()[7:] == ["000000024"]


def test_a_poisonous_row_does_not_kill_an_actor(cluster: str, tmp_path: Path) -> None:
    found = Stages(tmp_path, Ray(address=cluster), silent, 3)
    texts = ["a", "poison", "b", "c"]
    made = found.step(Deadly(), began(found, texts))
    assert [row["text"] for row in made.shards.rows()] == ["A", "B", "C"]
    assert made.counts.dropped == {POISON: 1}


def test_errors_of_a_step_reach_the_caller(cluster: str, tmp_path: Path) -> None:
    found = Stages(tmp_path, Ray(address=cluster), silent, 8)
    with pytest.raises(InputError, match=r"^row 000000001 is wrong; mend it$"):
        found.step(Deadly(), began(found, ["a", "wrong"]))


def test_wrong_requests() -> None:
    with pytest.raises(ConfigError, match="jobs must be at least 1; got 0"):
        make_engine("ray", jobs=0)


def test_a_ray_that_does_not_start_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def late(**_options: object) -> None:
        raise Exception("The current node timed out during startup.\nThis could happen …")

    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setattr(ray, "init", late)
    monkeypatch.setattr(ray, "shutdown", lambda: None)
    found = Stages(tmp_path, Ray(jobs=1), silent, 8)
    with pytest.raises(ConfigError, match=r"^Ray does not start .*: The current node timed out"):
        found.step(Upper(), began(found))
    found = Stages(tmp_path, Ray(address="1.2.3.4:5"), silent, 8)
    with pytest.raises(ConfigError, match=r"^no Ray can be reached at '1\.2\.3\.4:5': The curr"):
        found.step(Upper(), began(found))


def test_a_cluster_that_answers_is_taken(cluster: str) -> None:
    assert make_engine("ray", address=cluster) == Ray(address=cluster)


@pytest.mark.parametrize("scheme", ["", "ray://"])
def test_an_address_without_a_server_is_refused_at_once(scheme: str) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"{scheme}127.0.0.1:{free.getsockname()[1]}"  # bound, but nobody listens
        with pytest.raises(ConfigError, match=f"^no Ray can be reached at '{address}': Connection"):
            make_engine("ray", address=address)


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", None])
def test_another_server_is_not_taken_for_ray(
    answer: bytes | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("paraphrast.engine.ray._PATIENCE", 0.2 if answer is None else 10.0)
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            line, _ = server.accept()
            with line:
                if answer is None:
                    while line.recv(64):  # says nothing
                        pass
                else:
                    line.recv(64)
                    line.sendall(answer)

        other = threading.Thread(target=serve)
        other.start()
        monkeypatch.setenv("RAY_ADDRESS", f"127.0.0.1:{server.getsockname()[1]}")
        why = "timed out" if answer is None else "what answers there is no Ray"
        with pytest.raises(ConfigError, match=f"^no Ray can be reached at .*: {why}"):
            make_engine("ray")
        other.join()


def test_a_missing_ray_is_told_before_any_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paraphrast.engine.ray.find_spec", lambda _name: None)
    with pytest.raises(MissingExtra, match=r"pip install 'paraphrast\[ray\]'"):
        make_engine("ray")


def test_the_death_of_the_raylet_is_told_before_ray_ends_the_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("paraphrast.engine.ray._SILENCE", 0.05)
    over = threading.Event()

    def rows() -> Iterator[dict[str, int]]:
        yield {"place": 0}
        over.wait(60)  # as Ray waits for a raylet that is no more

    raylet = tmp_path / "raylet"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(raylet))
        server.listen()
        found = Ray(_started=True, _raylet=str(raylet))
        given = found._guarded(ray, rows())
        assert next(given) == {"place": 0}
    with pytest.raises(InputError, match=r"^Ray died: .* the raylet, has ended; .* goes on from"):
        next(given)
    over.set()
    found.close()  # which would wait for a raylet if it took Ray for alive


def test_an_error_of_ray_itself_is_no_traceback() -> None:
    def rows() -> Iterator[dict[str, int]]:
        yield {"place": 0}
        raise ray.exceptions.NodeDiedError("The node 1.2.3.4 died.\nMore of it …")

    given = Ray()._guarded(ray, rows())
    assert next(given) == {"place": 0}
    with pytest.raises(InputError, match=r"^Ray died: The node 1\.2\.3\.4 died\.; what is finis"):
        next(given)
