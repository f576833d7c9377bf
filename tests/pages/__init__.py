"""The screens, their components and their facts.

Whenever a test opens the dashboard, Streamlit would search all installed packages for components, which takes a third
of a second, and would compile all its scripts again on each run. All tests share both results.
"""

from functools import cache

from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import local_script_runner

manifest_scanner.scan_component_manifests = cache(manifest_scanner.scan_component_manifests)
local_script_runner.ScriptCache = cache(local_script_runner.ScriptCache)
