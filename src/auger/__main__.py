"""`python -m auger` is `auger`."""

from auger.cli import main

if __name__ == "__main__":
    main()
