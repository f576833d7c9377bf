"""Everything around the screens: access control, sign-in, maintenance, and the program's images."""
