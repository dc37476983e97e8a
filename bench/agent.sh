#!/bin/sh
# The least an agent can do: sleep as long as it is told, write one file, commit it. Two git processes.
# BENCH_SECONDS is a folder with a file for each task that holds its seconds.
if [ -n "$BENCH_SECONDS" ]; then
  read -r seconds <"$BENCH_SECONDS/$YARD_TASK"
  sleep "$seconds"
fi
mkdir -p work
echo "done" >"work/$YARD_TASK.txt"
git add -A work && git commit -q --no-verify -m "Work on $YARD_TASK"
