"""The process that computes the layout of a graph: DOT on stdin, the picture on stdout.

It is run by path, not as a module of the package, so that it starts in about 50 ms without pandas and numpy. Graphviz
holds the interpreter's lock and cannot be interrupted, so it runs in a separate process that can be killed.
"""

import sys

TOO_MANY, NOT_DOT, NO_PYGRAPHVIZ = 3, 4, 5


def main(form: str, max_nodes: int) -> int:
    """Draw stdin as `form` on stdout; return the exit status, with a figure or a reason on stderr's last line."""
    try:
        import pygraphviz
    except ImportError as error:
        print(error, file=sys.stderr)
        return NO_PYGRAPHVIZ
    try:
        graph = pygraphviz.AGraph(string=sys.stdin.buffer.read().decode("utf-8"))
    except (pygraphviz.DotError, ValueError) as error:
        print(str(error).replace("\n", " "), file=sys.stderr)
        return NOT_DOT
    if graph.number_of_nodes() > max_nodes:
        print(graph.number_of_nodes(), file=sys.stderr)
        return TOO_MANY
    sys.stdout.buffer.write(graph.draw(format=form, prog="dot"))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
