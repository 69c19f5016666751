"""Results as Markdown tables, one module per result; ``tools.result_pages`` prints the tables into docs/."""
