"""The tables of docs/which-door.md, and the tests that run their cells."""

from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "which-door.md"


def cells():
    """(feature, door) -> what the page says."""
    said, doors = {}, []
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if not line.startswith("|"):
            doors = []
            continue
        first, *rest = (cell.strip() for cell in line.strip("|").split("|"))
        if not doors:
            doors = rest
        elif not set(first) <= set("-"):
            said.update({(first, door): cell for door, cell in zip(doors, rest, strict=True)})
    return said


class Proofs:
    """The tests of one or more doors: each says which cell it runs, and what the page says there."""

    def __init__(self, *doors):
        self.doors, self.by_cell = doors, {}

    def __call__(self, feature, door, cell):
        def remember(proof):
            assert (feature, door) not in self.by_cell
            self.by_cell[feature, door] = (cell, proof)
            return proof

        return remember

    def expected(self):
        """What the page must say of these doors."""
        return {cell: said for cell, (said, _) in self.by_cell.items()}

    def said(self):
        """What it says."""
        return {(feature, door): cell for (feature, door), cell in cells().items() if door in self.doors}

    def parameters(self):
        """For `pytest.mark.parametrize`: the proofs by name."""
        return {f"{door}, {feature}": proof for (feature, door), (_, proof) in self.by_cell.items()}
