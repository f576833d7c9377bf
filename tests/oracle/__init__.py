"""The oracle: optimal trees of small problems by trying every tree, in code that can be checked by reading."""
