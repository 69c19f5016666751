"""What a seat for language models costs."""
