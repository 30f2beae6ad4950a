"""Other people's frameworks with our suggestions inside, a package each; the only places that import a host."""
