"""Inputs made by hypothesis, through everything that reads them: a result that holds, or a sentence; nothing else."""
