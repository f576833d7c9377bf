"""Running Espalier for a department: a container, its services, and whether it is well."""
