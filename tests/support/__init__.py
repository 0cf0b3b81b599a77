"""Helpers of the tests; each module has one purpose."""
