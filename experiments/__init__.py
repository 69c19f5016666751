"""How quick, how right and how strong the package is, each by a command that anybody can run again."""
