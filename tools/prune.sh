#!/bin/sh
# Remove what Candor never loads from the libraries of an environment: tools/prune.sh SITE_PACKAGES
# pip can update and uninstall these libraries as before: it ignores files that are missing.
set -eu
# Babel's formats of all languages take 32 MB. Candor uses those of its own languages, and what all
# languages inherit.
kept=$(printf ' ! -name %s.dat' root en $(ls translations))
cd "$1"
find babel/locale-data -name '*.dat' $kept -exec rm -f {} + 2>/dev/null || true
# The tests of these libraries are a sixth of the environment, and nothing imports them.
find numpy scipy pandas -type d -name tests -prune -exec rm -rf {} + 2>/dev/null || true
