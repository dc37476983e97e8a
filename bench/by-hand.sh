#!/usr/bin/env bash
# What a person writes by hand: by-hand.sh AGENT SLOTS TASK… inside the repository.
# A fresh worktree for each task, a lock around the merge, `xargs -P` for the slots.
agent=$1 slots=$2
shift 2
root=$PWD trees=$PWD.trees
export agent root trees
mkdir -p "$trees"
one() {
  git -C "$root" worktree add -q -b "task/$1" "$trees/$1" main &&
    cd "$trees/$1" && YARD_TASK=$1 sh "$agent" >/dev/null && sh -c true &&
    cd "$root" && flock "$trees/lock" git merge -q --no-ff -m "$1" "task/$1" &&
    git worktree remove --force "$trees/$1" && git branch -q -D "task/$1"
}
export -f one
printf '%s\n' "$@" | xargs -P "$slots" -I{} bash -c 'one {}'
