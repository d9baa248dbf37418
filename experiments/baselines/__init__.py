"""The methods that fastge is compared with, one file each.

Every one is a function `(adjacency, constraints, k, *, seed) -> Outcome`; methods on images or
points take those in place of the adjacency.
"""
