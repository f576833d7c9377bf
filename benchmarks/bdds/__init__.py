"""What measures binary decision diagrams: tables of yes/no columns, runs that can be ended, a module for each part."""
