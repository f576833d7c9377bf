"""Domain constraints: their meaning, their rules, their written form."""
