"""CPTree-2: trees under domain constraints as a mixed-integer linear program."""
