"""Leaves and fragmentation."""
