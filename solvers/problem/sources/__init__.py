"""Where a table comes from: text files, Parquet, Feather, workbooks, databases; and a dictionary of its columns."""

from solvers.problem.sources.address import Address, parse_address, typed_address
from solvers.problem.sources.formats import HEAD, Format, format_of
from solvers.problem.sources.options import MAX_ROWS, ReadingOptions
from solvers.problem.sources.redcap import DataDictionary, dictionary_of, read_dictionary
from solvers.problem.sources.table_files import read_table
from solvers.problem.sources.workbook import sheet_names
