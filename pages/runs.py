"""The last screen: all runs that were ever started, also before the program was closed."""

from components import runs_list

runs_list.show()
