"""Adapters to learning libraries, one module for each; a module needs its library, and nothing else imports it."""
