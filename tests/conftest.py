from hypothesis import settings

# No dice in a test: the same examples every time. `--hypothesis-profile=explore` goes looking for new ones.
settings.register_profile("repeatable", max_examples=60, derandomize=True, deadline=None, print_blob=True)
settings.register_profile("explore", max_examples=2000, deadline=None, print_blob=True)
settings.load_profile("repeatable")
