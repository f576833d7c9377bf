"""Models that are nearly as good as the best one."""
