"""What the kernel offers to hold processes, each in a module of its own."""
