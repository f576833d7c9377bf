"""Export formats for browsers, devices, statisticians and hospitals; one file each."""
