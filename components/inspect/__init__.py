"""The Inspect screen: the diagram, and tabs with evidence, proof, alternatives and exports."""
