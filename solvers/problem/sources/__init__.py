"""Sources of tables: text files, Parquet, Feather, workbooks, databases."""

from .table_files import HEAD, Format, format_of, read_table
from .workbook import sheet_names
