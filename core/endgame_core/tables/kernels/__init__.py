"""Kernels that all solvers share, threads to run them on, and where compiled ones are kept."""
