"""The parts of the screens: one package per screen, and packages shared by several screens."""
