#!/bin/sh
# Every test has exactly one of the labels unit, device and cli.
# usage: test_labels.sh CTEST BUILD
set -u
ctest=$1 build=$2

# count LABELS…: the number of tests with all of these labels.
count()
{
    "$ctest" --test-dir "$build" -N "$@" | sed -n 's/^Total Tests: //p'
}

all=$(count)
labelled=$(($(count -L '^unit$') + $(count -L '^device$') + $(count -L '^cli$')))
any=$(count -L '^(unit|device|cli)$')
[ "$all" -gt 0 ] && [ "$any" -eq "$all" ] && [ "$labelled" -eq "$all" ] && exit 0
echo "$all tests, $any of them with a label, $labelled labels: each test has one of unit, device, cli"
"$ctest" --test-dir "$build" -N -LE '^(unit|device|cli)$'
exit 1
