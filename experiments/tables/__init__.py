"""Results as Markdown tables: one module a result; ``tools.result_pages`` puts the tables into docs/."""
