"""Hypothesis strategies: ConfigSpace's spaces with those conditions and forbidden clauses that auger supports."""

import ConfigSpace as CS
from hypothesis import strategies as st

LISTS = [["relu", "tanh", "elu"], [True, False], [1, 2.5, 4], ["only"]]
CONSTANTS = ["adam", 3, 0.5]
NO_PARENTS = (CS.UniformFloatHyperparameter, CS.Constant)
if hasattr(CS.ConfigurationSpace, "add"):  # 0.7 holds numbers and text only, and breaks at a constant with children
    NO_PARENTS = (CS.UniformFloatHyperparameter,)
    LISTS += [[16, "auto", None], [(1, 2), (3,)]]
    CONSTANTS += [(1, 2)]

floats = st.sampled_from([(0.0, 1.0, False), (-5.0, 10.0, False), (1e-5, 1e-1, True), (0.5, 800.0, True)])
ints = st.sampled_from([(0, 3, False), (-2, 40, False), (1, 512, True), (5, 6, False)])


@st.composite
def hyperparameters(draw, name):
    kind = draw(st.sampled_from(["float", "int", "categorical", "ordinal", "constant"]))
    if kind == "float":
        low, high, log = draw(floats)
        return CS.UniformFloatHyperparameter(name, low, high, log=log)
    if kind == "int":
        low, high, log = draw(ints)
        return CS.UniformIntegerHyperparameter(name, low, high, log=log)
    if kind == "constant":
        return CS.Constant(name, draw(st.sampled_from(CONSTANTS)))
    maker = CS.CategoricalHyperparameter if kind == "categorical" else CS.OrdinalHyperparameter
    return maker(name, draw(st.sampled_from(LISTS)))


def values(own):
    """Values to write into a condition or clause of a hyperparameter."""
    if isinstance(own, CS.UniformFloatHyperparameter):
        return st.sampled_from([own.lower, (own.lower + own.upper) / 2, own.upper])
    if isinstance(own, CS.UniformIntegerHyperparameter):
        return st.integers(own.lower, min(own.upper, own.lower + 5))
    return st.sampled_from([own.value] if isinstance(own, CS.Constant) else listed(own))


def listed(own):
    return list(own.choices if isinstance(own, CS.CategoricalHyperparameter) else own.sequence)


@st.composite
def simple_conditions(draw, child, parent, is_conditional):
    kinds = [CS.EqualsCondition, "in"]
    if not is_conditional:
        kinds.append(CS.NotEqualsCondition)
    if isinstance(parent, (CS.UniformIntegerHyperparameter, CS.OrdinalHyperparameter)):
        kinds += [CS.LessThanCondition, CS.GreaterThanCondition]
    kind = draw(st.sampled_from(kinds))
    if kind == "in":
        return CS.InCondition(child, parent, draw(st.lists(values(parent), min_size=1, max_size=3)))
    return kind(child, parent, draw(values(parent)))


@st.composite
def conditions(draw, child, parents, conditional):
    """A condition, or one on each of two parents together; on the first of them, it may be one of two."""
    parts = [draw(simple_conditions(child, parent, parent.name in conditional)) for parent in parents]
    if draw(st.booleans()):
        first = parents[0]
        other = draw(simple_conditions(child, first, first.name in conditional))
        if other != parts[0]:
            parts[0] = CS.OrConjunction(parts[0], other)
    return parts[0] if len(parts) == 1 else CS.AndConjunction(*parts)


@st.composite
def clauses(draw, owns):
    own = draw(st.sampled_from(owns))
    kinds = [CS.ForbiddenEqualsClause, "in"]
    if getattr(own, "ORDERABLE", False) and hasattr(CS, "ForbiddenLessThanClause"):
        kinds += [
            CS.ForbiddenLessThanClause,
            CS.ForbiddenLessThanEqualsClause,
            CS.ForbiddenGreaterThanClause,
            CS.ForbiddenGreaterThanEqualsClause,
        ]
    kind = draw(st.sampled_from(kinds))
    if kind == "in":
        return CS.ForbiddenInClause(own, draw(st.lists(values(own), min_size=1, max_size=2)))
    return kind(own, draw(values(own)))


@st.composite
def forbidden(draw, owns):
    parts = draw(st.lists(clauses(owns), min_size=1, max_size=3))
    numbers = [own for own in owns if isinstance(own, (CS.UniformFloatHyperparameter, CS.UniformIntegerHyperparameter))]
    if len(numbers) > 1 and draw(st.booleans()):
        relation = draw(st.sampled_from([CS.ForbiddenLessThanRelation, CS.ForbiddenGreaterThanRelation]))
        parts.append(relation(numbers[0], numbers[1]))
        if not hasattr(CS, "ForbiddenOrConjunction"):  # 0.7 takes a relation for itself only
            return parts[-1]
    if len(parts) > 2 and hasattr(CS, "ForbiddenOrConjunction"):
        parts = [parts[0], CS.ForbiddenOrConjunction(*parts[1:])]
    return parts[0] if len(parts) == 1 else CS.ForbiddenAndConjunction(*parts)


@st.composite
def configuration_spaces(draw, names=("a", "b", "c", "d")):
    theirs = CS.ConfigurationSpace(seed=0)
    owns = [draw(hyperparameters(name)) for name in names[: draw(st.integers(1, len(names)))]]
    add(theirs, "hyperparameters", owns)
    conditional = set()
    for i, child in enumerate(owns):
        parents = [own for own in owns[:i] if not isinstance(own, NO_PARENTS)]
        if parents and draw(st.booleans()):
            chosen = draw(st.lists(st.sampled_from(parents), min_size=1, max_size=2, unique_by=lambda own: own.name))
            add(theirs, "conditions", [draw(conditions(child, chosen, conditional))])
            conditional.add(child.name)
    for clause in draw(st.lists(forbidden(owns), max_size=2)):
        try:
            add(theirs, "forbidden_clauses", [clause])
        except ValueError:  # it would forbid the default values
            return draw(configuration_spaces(names))
    return theirs


def add(theirs, what, parts):
    if hasattr(theirs, "add"):
        theirs.add(parts)
    else:
        getattr(theirs, f"add_{what}")(parts)
