"""The screens, their components and their facts.

Whenever a test opens the dashboard Streamlit would look for components in all installed packages, a third of a second's
work, and on each of its runs it would compile all its scripts anew. Both are the same for all tests.
"""

from functools import cache

from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import local_script_runner

manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)
local_script_runner.ScriptCache = cache(local_script_runner.ScriptCache)
