"""Performs what is due and writes down what happened."""
