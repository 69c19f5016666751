"""What experiments with matches share: pairs kept as they are played, ratings, tables and drawings."""
