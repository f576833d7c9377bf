"""Worker processes for the screens: runs, inquiries, reading of tables."""
