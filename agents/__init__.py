"""PyTorch networks that learn Persian Rummy, and the policies that play by them."""
