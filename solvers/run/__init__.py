"""How a run is carried."""
