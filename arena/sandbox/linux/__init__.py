"""What the kernel offers to confine processes, a module for each part of it."""
