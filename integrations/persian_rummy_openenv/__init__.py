"""Persian Rummy as an OpenEnv environment: ``client.PersianRummyClient`` talks to ``server.app``."""
