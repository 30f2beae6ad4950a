"""Hypothesis strategies: parameters, spaces with nested conditions and constraints, and members of both.

Values and configs are made from the definition of a parameter, never with ``encode`` or ``decode``, so that they
can serve as witnesses against both.
"""

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from auger.space import Categorical, Float, Int, Ordinal, Space

# -- parameters ---------------------------------------------------------------------------------------------


@st.composite
def linear_floats(draw):
    low = draw(st.floats(-1e300, 1e300))
    width = max(abs(low), 1e-290) * 10.0 ** draw(st.floats(-9, 3))
    return Float(low, low + width)


@st.composite
def log_floats(draw):
    exponent = draw(st.floats(-300, 290))
    return Float(10.0**exponent, 10.0 ** (exponent + draw(st.floats(1e-5, 300 - exponent))), log=True)


@st.composite
def stepped_floats(draw):
    digits = draw(st.integers(0, 8))
    low = Fraction(draw(st.integers(-(10**6), 10**6)), 10**digits)
    step = Fraction(draw(st.integers(1, 10**4)), 10**digits)
    return Float(float(low), float(low + draw(st.integers(1, 2000)) * step), step=float(step))


@st.composite
def linear_ints(draw):
    step = draw(st.integers(1, 2**20))
    n_steps = draw(st.one_of(st.integers(1, 20), st.integers(1, 2**40 - 1)))
    low = draw(st.integers(-(2**62), 2**62))
    return Int(low, low + step * n_steps, step=step)


@st.composite
def log_ints(draw):
    low = draw(st.integers(1, 2**40 - 1))
    return Int(low, draw(st.integers(low + 1, 2**40)), log=True)


scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text(max_size=4)
)
choices = st.lists(
    st.one_of(scalars, st.tuples(scalars, scalars), st.tuples(st.tuples(scalars))), min_size=1, max_size=5, unique=True
)
categoricals = choices.map(Categorical)
ordinals = choices.map(Ordinal)

continuous = st.one_of(linear_floats(), log_floats())
finite = st.one_of(stepped_floats(), linear_ints(), log_ints(), categoricals, ordinals)
parameters = st.one_of(continuous, finite)
# few values each, so that a space of several can be written out
small = st.one_of(
    st.integers(1, 3).map(lambda n: Float(0.0, n / 10, step=0.1)),
    st.integers(1, 3).map(lambda n: Int(-1, n - 1)),
    st.integers(2, 4).map(lambda high: Int(1, high, log=True)),
    st.lists(scalars, min_size=1, max_size=3, unique=True).map(Categorical),
    st.lists(scalars, min_size=1, max_size=3, unique=True).map(Ordinal),
)

#: Ranges where arithmetic in double precision has little room.
NASTY = [
    Float(1e-300, 1e300, log=True),
    Float(2.2250738585072014e-308, 1.7976931348623157e308, log=True),
    Float(1e300, 1.0001e300, log=True),
    Float(1.0, 1.0 + 1e-6, log=True),
    Float(1e6, 1e6 + 1),
    Float(-1e6 - 1, -1e6),
    Float(1e15, 1e15 + 1e6),
    Float(-8e307, 8e307),
    Float(1e-300, 2e-300),
    Float(0.0, 2.2250738585072014e-308),
    Float(-1e-20, 1.0),
    Float(0.1, 0.7, step=0.1),
    Float(0.0, 1.0, step=1 / 3),
    Float(-1e9, 1e9, step=0.01),
    Float(1e-15, 3.000000000000001, step=1.0),
    Float(0.1234567890123456, 3.1234567890123456, step=1.0),
    Float(1e-300, 1e-298, step=1e-300),
    Float(-1e300, 1e300, step=1e299),
    Float(0.0, 2.0**40 - 1, step=1.0),
    Int(0, 1),
    Int(-3, 3),
    Int(0, 2**40 - 1),
    Int(-(2**63), -(2**63) + 2**40 - 1),
    Int(2**63 - 2**40, 2**63 - 1),
    Int(-(2**62), 2**62 - 2**23, step=2**23),
    Int(1, 2, log=True),
    Int(1, 2**40, log=True),
    Int(2**40 - 1, 2**40, log=True),
    Int(10**6, 10**6 + 50, log=True),
    Categorical(["only"]),
    Categorical(list(range(97))),
    Ordinal(["only"]),
    Ordinal(list(range(97))),
]


# -- values -------------------------------------------------------------------------------------------------


def nth_value(kind, i):
    """Value number i of a finite parameter, from its definition alone."""
    if isinstance(kind, Int):
        return kind.low + i * kind.step
    if isinstance(kind, Float):
        return kind.high if i == kind.n_values - 1 else float(Fraction(repr(kind.low)) + i * Fraction(repr(kind.step)))
    return kind.choices[i]


def values(kind):
    """Any value of one parameter."""
    if kind.n_values is None:
        return st.floats(kind.low, kind.high)
    return st.integers(0, kind.n_values - 1).map(lambda i: nth_value(kind, i))


def columns(kind):
    """Snapped columns of one parameter, made from uniform numbers, the extreme ones included."""
    uniform = st.lists(
        st.one_of(st.sampled_from([0.0, 0.5, 1 - 2.0**-53]), st.floats(0, 1, exclude_max=True)), min_size=1
    )
    return uniform.map(lambda u: kind.quantile(np.array(u)))


# -- spaces -------------------------------------------------------------------------------------------------


@st.composite
def conditions(draw, earlier):
    """``when`` for a new parameter: up to two of the finite parameters named before it, with a few of their values."""
    parents = [name for name, kind in earlier.items() if kind.n_values is not None]
    if not parents or draw(st.booleans()):
        return {}
    chosen = draw(st.lists(st.sampled_from(parents), min_size=1, max_size=2, unique=True))
    return {name: draw(st.lists(values(earlier[name]), min_size=1, max_size=3)) for name in chosen}


@st.composite
def rules(draw, kinds):
    """A constraint that at least some value of one parameter satisfies, as an expression or as a function."""
    name = draw(st.sampled_from(sorted(kinds)))
    kind = kinds[name]
    if draw(st.booleans()):
        kept = nth_value(kind, 0) if kind.n_values is not None else kind.low
        return lambda config: name not in config or config[name] == kept or len(repr(config[name])) % 2 == 0
    if isinstance(kind, (Float, Int)):
        middle = kind.low + (kind.high - kind.low) / 2
        return f"{name} <= {middle!r}"
    return f"{name} in {list(kind.choices[: (len(kind.choices) + 1) // 2])!r}"


@st.composite
def spaces(draw, kinds=parameters, *, constrained=None, max_size=5):
    """Spaces with nested conditions; with constraints, without, or (None) either."""
    made = {}
    for j in range(draw(st.integers(1, max_size))):
        kind = draw(kinds)
        settings = {key: getattr(kind, key) for key in kind.__dataclass_fields__ if key != "when"}
        made[f"p{j}"] = type(kind)(**settings, when=draw(conditions(made)))
    with_rules = draw(st.booleans()) if constrained is None else constrained
    constraints = draw(st.lists(rules(made), min_size=1, max_size=2)) if with_rules else []
    # a child may stand before its parent
    order = draw(st.permutations(sorted(made)))
    return Space({name: made[name] for name in order}, constraints=constraints)


def is_active(space, config, name):
    """Whether a parameter is active, given a config that holds every active one of its parents."""
    when = space.parameters[name].when
    return all(parent in config and config[parent] in wanted for parent, wanted in when.items())


@st.composite
def configs(draw, space):
    """Any config of the space; constraints are not looked at."""
    config = {}
    for name in sorted(space.names):  # p0, p1, ...: parents first
        if is_active(space, config, name):
            config[name] = draw(values(space.parameters[name]))
    return {name: config[name] for name in space.names if name in config}
