"""The last screen: all runs ever started, including earlier sessions."""

from components.runs import run_list

run_list.show()
