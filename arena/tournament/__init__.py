"""Playing what is due: workers, work queue, schedules, ladders, comparisons, single games."""
