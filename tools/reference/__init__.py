"""The pages that are printed from the tables of the code, a module each."""
