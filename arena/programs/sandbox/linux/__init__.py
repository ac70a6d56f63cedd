"""The parts of the kernel that confine processes, one per module. These modules do not know bots or games."""
