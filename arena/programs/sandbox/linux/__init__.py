"""The parts of the kernel that confine processes, one per module. Nothing here knows of bots or games."""
