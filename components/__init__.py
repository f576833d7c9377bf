"""The pieces that the screens are made of: a room for each screen, and rooms for what several of them share."""
