"""Where a table comes from: text files, Parquet, Feather, workbooks, databases."""

from .formats import HEAD, Format, format_of
from .table_files import read_table
from .workbook import sheet_names
