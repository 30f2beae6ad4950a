"""Where studies are kept, and what to do while a storage does not answer."""
