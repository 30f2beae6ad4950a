"""Adapters to other frameworks, one package per host. Only these packages import a host."""
