"""The classroom: tables from rules, a greedy method step by step, trees built by hand, and a search with commentary.

from solvers.teaching import Greedy, Recipe, Rule, greedy_replay, make, record_search

made = make(Recipe(Rule.XOR, distractors=2))
replay = greedy_replay(Problem(made.train, Shape(max_depth=2)), Greedy.CART)
recording = record_search(Problem(made.train, Shape(max_depth=2)))
"""

from .addresses import Setting, Understood, params_of, setting_of, tree_of, tree_param
from .candidates import Candidate, Measure, candidates, ranked
from .generators import GeneratedTable, make, table_of
from .greedy import Greedy, GreedyReplay, GreedyStep, greedy_replay, grow_fully
from .lessons import Lesson, LessonPart, lesson, lessons
from .recipes import MOST_DISTRACTORS, MOST_NOISE, MOST_ROWS, MOST_SEED, Recipe, Rule, Traits
from .regions import Regions, regions
from .search import Happening, Recording, SearchEvent, record_search
from .sketches import Drawn, History, Sketch
