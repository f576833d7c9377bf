"""The last screen: all runs that were ever started, also before the program was closed."""

from components.runs import run_list

run_list.show()
