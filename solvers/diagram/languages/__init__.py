"""Models in the languages of browsers, devices, statisticians and hospitals; a file each."""
