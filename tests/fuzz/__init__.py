"""Random inputs for everything that reads them: each ends in a correct result or in a sentence."""
