"""What the arena costs, and what its table is worth, measured on this machine."""
