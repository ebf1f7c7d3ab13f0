from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from typing import Any, NamedTuple, overload

import numpy as np
import numpy.typing as npt

_Path = str | PathLike[str]
_Array = npt.NDArray[np.float64]
_Value = float | int | bool | str | Sequence[Any] | npt.NDArray[Any]

__version__: str

class Diagnostic(NamedTuple):
    severity: str
    message: str
    advice: str | None
    path: str | None
    file: str | None
    line: int
    column: int
    source: str | None

class Variable(NamedTuple):
    name: str
    kind: str
    causality: str
    type: str
    unit: str
    text: str
    shape: tuple[int, ...]
    start: float | None
    min: float
    max: float
    tunable: bool

class Event(NamedTuple):
    time: float
    row: int

class Statistics(NamedTuple):
    solver: str
    time: float
    stopped: bool
    steps: int
    rejected: int
    evaluations: int
    jacobians: int
    factorisations: int
    state_events: int
    time_events: int
    smallest_step: float
    largest_step: float
    seconds: float
    limiting_state: str | None
    compiled_shapes: int

class Eigenvalue(NamedTuple):
    value: complex
    error: float
    frequency: float
    damping: float
    participation: dict[str, float]
    count: int

class Error(RuntimeError):
    diagnostics: list[Diagnostic]
    exit_code: int
    result: Result

class UnknownName(Error, KeyError): ...
class Warning(UserWarning): ...

def load(path: _Path | Iterable[_Path], model: str | None = ...,
         library: _Path | Iterable[_Path] | None = ...) -> Model: ...
def load_text(text: str, model: str | None = ...,
              library: _Path | Iterable[_Path] | None = ...) -> Model: ...

class Model:
    @property
    def name(self) -> str: ...
    @property
    def experiment(self) -> dict[str, float | str]: ...
    @property
    def variables(self) -> dict[str, Variable]: ...
    @property
    def parameters(self) -> dict[str, Variable]: ...
    @property
    def states(self) -> dict[str, Variable]: ...
    @property
    def inputs(self) -> dict[str, Variable]: ...
    @property
    def outputs(self) -> dict[str, Variable]: ...
    @property
    def changes(self) -> dict[str, str]: ...
    def copy(self) -> Model: ...
    def __getitem__(self, name: str) -> float | _Array: ...
    def __setitem__(self, name: str, value: _Value) -> None: ...
    def __delitem__(self, name: str) -> None: ...
    def __contains__(self, name: object) -> bool: ...
    def simulate(self, stop: float | None = ..., *, start: float | None = ...,
                 solver: str | None = ..., step: float | None = ...,
                 tolerance: float | None = ..., interval: float | None = ...,
                 intervals: int | None = ..., record: str | Iterable[str] | None = ...,
                 threads: int = ..., compile: str = ..., chatter: str | None = ...,
                 clocks: str | None = ..., real_time: bool = ..., x0: npt.ArrayLike | None = ...,
                 checkpoint: _Path | None = ..., resume: _Path | None = ...,
                 progress: Callable[[float], bool | None] | None = ...) -> Result: ...
    def sweep(self, grid: Mapping[str, Iterable[_Value]], *, threads: int = ...,
              **options: Any) -> Sweep: ...
    def eigen(self, at: float | None = ..., *, solver: str | None = ...,
              step: float | None = ...) -> Spectrum: ...
    def linearise(self, at: float | None = ..., *, inputs: Iterable[str] = ...,
                  outputs: Iterable[str] = ..., solver: str | None = ...,
                  step: float | None = ...) -> Linear: ...
    def stepper(self, step: float | None = ..., *, solver: str | None = ...,
                start: float | None = ..., inputs: Iterable[str] = ...,
                outputs: Iterable[str] = ..., threads: int = ...,
                compile: str = ...) -> Stepper: ...

class Result:
    model: str
    names: list[str]
    events: list[Event]
    statistics: Statistics
    time: _Array
    def __getitem__(self, name: str) -> _Array: ...
    def __contains__(self, name: object) -> bool: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...
    def keys(self) -> list[str]: ...
    def unit(self, name: str) -> str: ...
    def text(self, name: str) -> str: ...
    @overload
    def to_csv(self, path: None = None) -> str: ...
    @overload
    def to_csv(self, path: _Path) -> None: ...
    def to_hdf5(self, path: _Path) -> None: ...
    def plot(self, *names: str) -> Any: ...

class Sweep:
    members: list[dict[str, Any]]
    parameters: dict[str, list[Any]]
    errors: dict[int, Error]
    def __len__(self) -> int: ...
    def __getitem__(self, i: int) -> Result: ...
    def __iter__(self) -> Iterator[Result]: ...
    def final(self, name: str) -> _Array: ...

class Spectrum:
    values: list[Eigenvalue]
    time: float
    complete: bool
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Eigenvalue]: ...
    def __getitem__(self, i: int) -> Eigenvalue: ...

class Linear:
    A: _Array
    B: _Array
    C: _Array
    D: _Array
    x: _Array
    states: list[str]
    inputs: list[str]
    outputs: list[str]
    time: float

class _Ports(Mapping[str, _Array]): ...

class Stepper:
    inputs: _Ports
    outputs: _Ports
    @property
    def time(self) -> float: ...
    @property
    def state(self) -> _Array: ...
    def __getitem__(self, name: str) -> float | _Array: ...
    def __setitem__(self, name: str, value: float | npt.ArrayLike) -> None: ...
    def step(self, n: int = ...) -> None: ...
    def reset(self, state: npt.ArrayLike | None = ..., time: float = ...) -> None: ...
