"""The command line: what a person types, what a person or a program reads back."""
