"""How the core is compiled, where compiled code is kept, and what compiles together."""
