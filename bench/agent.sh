#!/bin/sh
# The least an agent can do: sleep as long as it is told, write one file, commit it. Two git processes.
# BENCH_SECONDS holds words such as t1=0.9: how long the agent of a task sleeps.
for pair in $BENCH_SECONDS; do
  if [ "${pair%%=*}" = "$YARD_TASK" ]; then sleep "${pair#*=}"; fi
done
mkdir -p work
echo "done" >"work/$YARD_TASK.txt"
git add -A work && git commit -q --no-verify -m "Work on $YARD_TASK"
