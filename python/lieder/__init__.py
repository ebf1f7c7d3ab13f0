"""Lieder: a simulator for physical systems, from Python.

    import lieder
    m = lieder.load("models/crane_crab.mo")
    m["cart.m"] = 3                                  # parameters and start values
    r = m.simulate(stop=10, solver="rk4", step=1e-3)
    r["revolute.phi"]                                # numpy, without a copy
    m.eigen().values                                 # eigenvalues with participations
    sim = m.stepper(step=1e-3)                       # closed loops, fleets

Names that do not exist raise UnknownName with the nearest one; everything else that is wrong raises
Error with .diagnostics and .exit_code. A model may be used by one thread at a time (others wait);
the interpreter is free for other threads while a run goes on.
"""

import itertools
import math
import os
import re
import tempfile
import threading

from . import _lieder
from ._lieder import (Diagnostic, Eigenvalue, Error, Event, Statistics, UnknownName, Variable,
                      Warning, __version__)

try:
    import numpy as _numpy
except ImportError:  # memoryviews then
    _numpy = None

__all__ = ["load", "load_text", "Model", "Result", "Stepper", "Sweep", "Spectrum",
           "Linear", "Error",
           "UnknownName", "Warning", "Diagnostic", "Variable", "Event", "Statistics", "Eigenvalue"]

Error.diagnostics = []  # of errors that this file raises itself
Error.exit_code = 2
UnknownName.__str__ = RuntimeError.__str__  # that of KeyError shows no lines

_MADE_AT_MOST = 200  # a session keeps the models it made: then it begins anew
_NAN = math.nan


def _view(array):
    """What numpy makes of an array of the engine, or a memoryview; no copy."""
    return memoryview(array) if _numpy is None else _numpy.asarray(array)


def _unknown(error):
    """The same error for those who ask for a KeyError."""
    unknown = UnknownName(str(error))
    unknown.diagnostics, unknown.exit_code = error.diagnostics, error.exit_code
    return unknown


def _texts(value):
    """A text or path, or several of them, as a list."""
    if value is None:
        return []
    if isinstance(value, (str, os.PathLike)):
        value = [value]
    return [os.path.expanduser(os.fspath(v)) for v in value]


def _number(value):
    """A number for the engine, which takes NaN as "not given"; so NaN itself is refused."""
    if value is None:
        return _NAN
    value = float(value)
    if math.isnan(value):
        raise ValueError("a time, step or tolerance cannot be nan")
    return value


def _step(value):
    if value is not None and not float(value) > 0:
        raise Error(f"a step of {float(value):g} is impossible: it must be positive")
    return _number(value)


def _modelica(value):
    """A value of Python as Modelica text."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or type(value).__name__ == "bool_":
        return "true" if value else "false"
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return "{" + ", ".join(map(_modelica, value)) + "}"
    if isinstance(value, int):
        return str(value)
    value = float(value)
    if not math.isfinite(value):
        raise ValueError(f"a parameter cannot be {value}")
    return repr(value)


def load(path, model=None, library=None):
    """A model of a file, a folder with package.mo, or of the library by its name.

    path       file or folder, several of them, or a class such as "Dialectic.Examples.CraneCrab"
    model      the class that is meant; None: the last of the last file that can be simulated
    library    folders with packages that no file has, before those of MODELICAPATH
    """
    files = _texts(path)
    if len(files) == 1 and not os.path.exists(files[0]) and not re.search(r"\.mo$|/", files[0]):
        if model is not None:
            raise Error(f"there is no file {files[0]}")
        model, files = files[0], []
    return Model(files, [], model, library)


def load_text(text, model=None, library=None):
    """A model of Modelica text."""
    return Model([], [text], model, library)


class Model:
    """A model with values for its parameters and start values; see load.

    m[name] = value keeps the value as --override of the program does; the model is made with all of
    them when something asks for it. m[name] is the value as it is then. Arrays: "crab[3].cart.m" is
    one number, and "crab.cart.m" takes a list with one for each element."""

    def __init__(self, files, texts, model=None, library=None):
        folders = [f for f in os.environ.get("MODELICAPATH", "").split(":") if f]
        self._sources = (files, texts, _texts(library) + folders, model)
        self._values = {}
        self._lock = threading.RLock()
        self._system = None
        self._stale = True
        self._table = None
        self._make()

    def copy(self):
        """The same model with the same values, for another thread for example."""
        other = Model.__new__(Model)
        other._sources = self._sources
        other._values = dict(self._values)
        other._lock = threading.RLock()
        other._system = None
        other._stale = True
        other._table = None
        return other

    # ------------------------------------------------------------------ making

    def _overrides(self):
        return [(name, *value) for name, value in self._values.items()]

    def _make(self):
        if not self._stale:
            return self._system
        if self._system is None or self._system.made >= _MADE_AT_MOST:
            self._system = _lieder.System(*self._sources)
        self._table = None
        self._system.make(self._overrides())
        self._stale = False
        return self._system

    @property
    def name(self):
        """Full name of the class."""
        return self._system.title if self._system else self._make().title

    @property
    def experiment(self):
        """What the annotations of the model say about a run."""
        with self._lock:
            return self._make().experiment()

    # ------------------------------------------------------------------ variables

    @property
    def variables(self):
        """All variables by name, in the order of the declarations; arrays are one entry."""
        with self._lock:
            system = self._make()
            if self._table is None:
                table = {}
                for v in system.variables():
                    table.setdefault(v.name, v)
                self._table = table
            return self._table

    def _of_kind(self, *kinds):
        return {n: v for n, v in self.variables.items() if v.kind in kinds}

    @property
    def parameters(self):
        """The parameters, by name."""
        return self._of_kind("parameter")

    @property
    def states(self):
        """The states, by name."""
        return self._of_kind("state")

    @property
    def inputs(self):
        """Inputs that nothing is connected to: a stepper sets them."""
        return {n: v for n, v in self.variables.items() if v.causality == "input"}

    @property
    def outputs(self):
        """The outputs that the model itself declares."""
        return {n: v for n, v in self.variables.items() if v.causality == "output"}

    def __getitem__(self, name):
        with self._lock:
            system = self._make()
            row = self.variables.get(name)
            if row is not None and row.shape:
                n = math.prod(row.shape)
                values = [system.get(_element(name, row.shape, i, system)) for i in range(n)]
                return values if _numpy is None else _numpy.reshape(values, row.shape)
            return system.get(name)

    def __setitem__(self, name, value):
        with self._lock:
            entry = (_modelica(value), self._by_element(name, value))
            before = self._values.pop(name, None)  # the newest one comes last
            self._values[name] = entry
            known = not self._stale and self._system.kind(name) in ("parameter", "state")
            self._stale = True
            if known:
                return
            try:  # a name that no system has: it may be a parameter of the model itself
                self._make()
            except Error as error:
                del self._values[name]
                if before is not None:
                    self._values[name] = before
                if "has no element" in str(error):
                    raise _unknown(error) from None
                raise

    def _by_element(self, name, value):
        """One value for each element of the first array on the way, not a vector parameter."""
        row = self.variables.get(name) if hasattr(value, "__len__") and not isinstance(
            value, str) else None
        return row is not None and len(row.shape) > 0 and _first_array(name, row, self._system)

    def __delitem__(self, name):
        with self._lock:
            del self._values[name]
            self._stale = True

    def __contains__(self, name):
        with self._lock:
            return name in self.variables or self._make().kind(name) != ""

    @property
    def changes(self):
        """The values that were set, by name, as Modelica text."""
        return {name: value[0] for name, value in self._values.items()}

    # ------------------------------------------------------------------ runs

    def simulate(self, stop=None, *, start=None, solver=None, step=None, tolerance=None,
                 interval=None, intervals=None, record=None, threads=0, compile="auto",
                 chatter=None, clocks=None, real_time=False, x0=None, checkpoint=None, resume=None,
                 progress=None):
        """A run from start to stop; what is not given comes from the model's annotations.

        record     regular expression that matches whole names, or a list of names
                   (states, derivatives and outputs)
        x0         the first state, in the order of states; None: the start values
        progress   called now and then with the time; False ends the run
        The other options are those of 'lieder simulate --help'."""
        if record is not None and not isinstance(record, str):
            record = "|".join(re.sub(r"([.\[\](){}*+?|^$\\])", r"\\\1", n) for n in record)
        with self._lock:
            system = self._make()
            interval = _number(interval)
            if intervals is not None:
                e = system.experiment()
                first = e["start"] if start is None else start
                interval = ((e["stop"] if stop is None else stop) - first) / intervals
            if x0 is not None and _numpy is not None:
                x0 = _numpy.ascontiguousarray(x0, dtype=float)
            try:
                run = system.simulate(_number(start), _number(stop), _step(step),
                                      _number(tolerance), interval, solver, chatter, clocks,
                                      compile, threads, real_time, record, x0,
                                      None if checkpoint is None else os.fspath(checkpoint),
                                      None if resume is None else os.fspath(resume), progress)
            except Error as e:
                if hasattr(e, "result"):
                    e.result = Result(self.name, e.result)
                raise
        return Result(self.name, run)

    def sweep(self, grid, *, threads=1, **options):
        """A run for every combination of values, {"cart.m": [1, 2], "world.TD": [...]}: see Sweep.

        Members have the bits of single runs. The options are those of simulate; a member that fails
        is marked and the others go on. Large grids of fixed steps are faster by 'lieder sweep', which
        runs members as lanes."""
        names = list(grid)
        members = list(itertools.product(*(list(grid[n]) for n in names)))
        found = [None] * len(members)
        todo = iter(range(len(members)))
        stop, lock, broken = threading.Event(), threading.Lock(), []
        progress = options.pop("progress", None)

        def ask(t):
            return not stop.is_set() and (progress is None or progress(t) is not False)

        def work():
            model = self.copy()
            while not stop.is_set():
                with lock:
                    i = next(todo, None)
                if i is None:
                    return
                try:
                    for name, value in zip(names, members[i]):
                        model[name] = value
                    found[i] = model.simulate(progress=ask, **options)
                except Error as e:
                    found[i] = e
                except BaseException as e:  # a mistake in the options: for the caller
                    broken.append(e)
                    stop.set()

        crew = [threading.Thread(target=work) for _ in range(max(1, min(threads, len(members))))]
        for t in crew:
            t.start()
        try:
            for t in crew:
                while t.is_alive():
                    t.join(0.1)
        finally:  # Ctrl-C ends all of them
            stop.set()
            for t in crew:
                t.join()
        if broken:
            raise broken[0]
        return Sweep(names, members, found)

    def eigen(self, at=None, *, solver=None, step=None):
        """Eigenvalues at the start, or at a time to which the model is run first."""
        with self._lock:
            return Spectrum(**self._make().linearise(_number(at), solver, _number(step), [], [],
                                                     True))

    def linearise(self, at=None, *, inputs=(), outputs=(), solver=None, step=None):
        """A, B, C, D there: inputs are parameters or open inputs, outputs any variables."""
        inputs, outputs = list(inputs), list(outputs)
        with self._lock:
            found = self._make().linearise(_number(at), solver, _number(step), inputs, outputs,
                                           False)
        return Linear(inputs=inputs, outputs=outputs,
                      **{k: _view(v) if isinstance(v, _lieder.Array) else v
                         for k, v in found.items()})

    def stepper(self, step=None, *, solver=None, start=None, inputs=(), outputs=(), threads=0,
                compile="never"):
        """A copy of the model that is stepped from outside: see Stepper."""
        with self._lock:
            system = _lieder.System(*self._sources)
            system.make(self._overrides())
        return Stepper(system, _number(start), _step(step), solver, compile, threads,
                       list(inputs), list(outputs))

    def __repr__(self):
        return f"<lieder.Model {self.name}>"


def _index(shape, i):
    """Indices from 1 of element i, the last one fastest."""
    out = []
    for n in reversed(shape):
        out.append(i % n + 1)
        i //= n
    return out[::-1]


def _element(name, shape, i, system):
    """The path of element i of a variable: tries where its indices belong."""
    parts, indices = name.split("."), _index(shape, i)
    for at in _places(len(parts), len(indices)):
        path = list(parts)
        for k in range(len(parts)):
            here = [str(ix) for ix, a in zip(indices, at) if a == k]
            if here:
                path[k] += "[" + ",".join(here) + "]"
        path = ".".join(path)
        if system.kind(path):
            return path
    raise UnknownName(f"{name} has no element {indices}")


def _places(nparts, nindex):
    """All ways to give indices to parts of a name, in order."""
    if nindex == 0:
        yield ()
        return
    for rest in _places(nparts, nindex - 1):
        for k in range(rest[-1] if rest else 0, nparts):
            yield rest + (k,)


def _first_array(name, row, system):
    """Is the first index of a variable one of an array of components?"""
    last = name.rsplit(".", 1)[-1]
    first = _element(name, row.shape, 0, system)
    return not (len(row.shape) == 1 and first.endswith(last + "[1]"))


class Result:
    """The rows of a run. r[name] is an array without a copy; it must not be written."""

    def __init__(self, model, run):
        self.model = model
        self._run = run
        self.names = run.names
        self.events = run.events
        self.statistics = run.statistics
        self.time = _view(run.series("time")[0])

    def __getitem__(self, name):
        found = self._run.series(name)
        if found is None:
            raise UnknownName(self._wrong(name))
        return _view(found[0])

    def _wrong(self, name):
        import difflib
        near = difflib.get_close_matches(name, self.names, 3, 0.5)
        advice = "did you mean " + ", ".join(near) + "?" if near else "r.names has the columns"
        return f"{name} was not recorded\n    {advice}; record='{name}' records more than the states"

    def unit(self, name):
        """Unit of a column."""
        found = self._run.series(name)
        if found is None:
            raise UnknownName(self._wrong(name))
        return found[1]

    def text(self, name):
        """What a column is."""
        found = self._run.series(name)
        if found is None:
            raise UnknownName(self._wrong(name))
        return found[2]

    def __contains__(self, name):
        return self._run.series(name) is not None

    def __iter__(self):
        return iter(self.names)

    def __len__(self):
        return len(self.time)

    def keys(self):
        return list(self.names)

    def to_csv(self, path=None):
        """Writes the rows as the program does: .csv, .mat for MATLAB v4, .h5 for HDF5; without a
        path returns them as the text of a .csv file."""
        if path is not None:
            self._run.write(os.fspath(path))
            return None
        with tempfile.TemporaryDirectory() as folder:
            name = os.path.join(folder, "rows.csv")
            self._run.write(name)
            with open(name, encoding="utf-8") as file:
                return file.read()

    def to_hdf5(self, path):
        """Writes the rows as HDF5, arrays kept, to a file that ends in .h5."""
        if not os.fspath(path).lower().endswith(".h5"):
            raise ValueError("the name of an HDF5 result ends in .h5, not as %r" % (path,))
        self.to_csv(path)

    def plot(self, *names):
        """Draws columns over time with matplotlib, the states without names; returns the axes."""
        try:
            from matplotlib import pyplot
        except ImportError:
            raise Error("plot needs matplotlib\n    install python3-matplotlib, or write the "
                        "result with to_csv and draw it with 'lieder plot'") from None
        names = names or [n for n in self.names if "der(" + n + ")" in self]
        _, axes = pyplot.subplots()
        for name in names:
            axes.plot(self.time, self[name], label=f"{name} / {self.unit(name) or '1'}")
        axes.set_xlabel("time / s")
        axes.set_title(self.model)
        axes.legend()
        return axes

    def __repr__(self):
        return f"<lieder.Result of {self.model}: {len(self)} rows of {len(self.names)} variables>"


class Sweep:
    """The members of a sweep, the last parameter fastest.

    s.parameters[name] has the value of each member, s[i] its Result (or raises its Error), s.errors
    what failed by number, s.final(name) the last value of a variable of each member (nan: failed)."""

    def __init__(self, names, members, found):
        self.members = [dict(zip(names, m)) for m in members]
        self.parameters = {n: [m[n] for m in self.members] for n in names}
        self.errors = {i: r for i, r in enumerate(found) if isinstance(r, Error)}
        self._found = found

    def __len__(self):
        return len(self._found)

    def __getitem__(self, i):
        found = self._found[i]
        if isinstance(found, Error):
            raise found
        return found

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def final(self, name):
        values = [_NAN if i in self.errors else float(r[name][-1])
                  for i, r in enumerate(self._found)]
        return values if _numpy is None else _numpy.array(values)

    def __repr__(self):
        return f"<lieder.Sweep of {len(self)} members, {len(self.errors)} failed>"


class Spectrum:
    """Eigenvalues of a model at a point: a list of Eigenvalue in .values."""

    def __init__(self, values, time, complete):
        self.values, self.time, self.complete = values, time, complete

    def __iter__(self):
        return iter(self.values)

    def __len__(self):
        return len(self.values)

    def __getitem__(self, i):
        return self.values[i]

    def __repr__(self):
        return f"<lieder.Spectrum of {len(self)} eigenvalues at t = {self.time:g} s>"


class Linear:
    """x' = A x + B u, y = C x + D u near the point x at a time, with names."""

    def __init__(self, A, B, C, D, x, states, time, inputs, outputs):
        self.A, self.B, self.C, self.D, self.x = A, B, C, D, x
        self.states, self.inputs, self.outputs, self.time = states, inputs, outputs, time

    def __repr__(self):
        return (f"<lieder.Linear of {len(self.states)} states, {len(self.inputs)} inputs, "
                f"{len(self.outputs)} outputs at t = {self.time:g} s>")


class _Ports:
    """Declared inputs or outputs: their arrays by name."""

    def __init__(self, stepper, names):
        self._views = {n: _view(stepper._port(n)) for n in names}

    def __getitem__(self, name):
        return self._views[name]

    def __iter__(self):
        return iter(self._views)

    def __len__(self):
        return len(self._views)


class Stepper(_lieder.Stepper):
    """A model that is stepped from outside, with the bits of simulate.

        sim = m.stepper(step=1e-3, inputs=["crab.push.f"], outputs=["crab.revolute.phi"])
        sim.inputs["crab.push.f"][:] = 2        one number for each lane
        sim.step(10)                            sets inputs, steps, reads outputs
        sim.outputs["crab.revolute.phi"]        the same array every time

    sim[name] reads any variable and sets inputs, tunable parameters and states, without being
    declared; a name without indices is an array of all elements. sim.state is all states, and may be
    written."""

    def __new__(cls, system, start, step, solver, compile, threads, inputs, outputs):
        self = super().__new__(cls, system, start, step, solver, compile, threads, inputs, outputs)
        self.inputs = _Ports(self, inputs)
        self.outputs = _Ports(self, outputs)
        return self

    @property
    def state(self):
        """All states, in the order of the names of Linear.states; a view that may be written."""
        return _view(self._state)

    def reset(self, state=None, time=0.0):
        """Begins anew, from the start values or a state."""
        if state is not None and _numpy is not None:
            state = _numpy.ascontiguousarray(state, dtype=float)
        self._reset(float(time), state)
