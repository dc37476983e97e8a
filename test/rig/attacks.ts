// What an agent or a gate may try outside of its folder, and what comes of it where no sandbox refuses it.

/** Outcome of an attack of an agent without a sandbox. Nothing of it lands in any case. */
type WithoutSandbox =
  /** The output of the run or `ym why` names it. `code` is the exit status of the run. */
  | { readonly noticed: RegExp; readonly code: 0 | 1 | 3 }
  /** Nothing comes of it. */
  | { readonly harmless: string }
  /** It cannot be noticed soundly; see the known gaps in `docs/security.md`. */
  | { readonly unnoticed: string };

export interface Attack {
  /** Run by a shell in the attacker's folder; succeeds if the attack does. */
  readonly line: string;
  readonly without: WithoutSandbox;
}

export const attacks: Readonly<Record<string, Attack>> = {
  'move the target': {
    line:
      'c=$(git commit-tree -p HEAD -m mine "HEAD^{tree}") && ' +
      'git -C "$root" fetch -q --no-write-fetch-head "$PWD" "$c" && ' +
      'git -C "$root" update-ref refs/heads/main "$c"',
    without: { noticed: /The agent moved the target from \w+ to \w+. It was put back/, code: 1 },
  },
  'push a branch': {
    line: 'git push -q "$root" HEAD:refs/heads/pushed',
    without: { noticed: /refs\/heads\/pushed/, code: 0 },
  },
  'make a branch': {
    line: 'git -C "$root" branch stolen',
    without: { noticed: /refs\/heads\/stolen/, code: 0 },
  },
  'delete a branch': {
    line: 'git -C "$root" branch -D theirs',
    without: { noticed: /refs\/heads\/theirs/, code: 0 },
  },
  'write a hook': {
    line: 'echo x >"$root/.git/hooks/pre-commit"',
    without: { noticed: /The git hook pre-commit was added/, code: 1 },
  },
  'set a setting': {
    line: 'git -C "$root" config core.hooksPath /tmp',
    without: { noticed: /git settings were changed: config/, code: 1 },
  },
  'exclude files': {
    line: 'echo "*" >>"$root/.git/info/exclude"',
    without: { noticed: /git settings were changed: info\/exclude/, code: 1 },
  },
  'edit the checkout': {
    line: 'echo x >>"$root/gate.sh"',
    without: { noticed: /changed in your checkout, not part of any task.*: gate\.sh/, code: 0 },
  },
  'write into another worktree': {
    line: 'echo x >"$(other_tree)/gate.sh"',
    without: {
      unnoticed: 'no file system says which of two running agents wrote a file',
    },
  },
  "write into the engine's git of this one": {
    line: 'echo x >"$PWD.view/HEAD"',
    without: { noticed: /Could not commit the agent's work: .* names no commit/, code: 1 },
  },
  'write into the git of another worktree': {
    line: 'echo x >"$(other_tree).git/HEAD"',
    without: {
      unnoticed: 'no file system says which of two running agents wrote a file',
    },
  },
  'write to the home': {
    line: 'echo x >>"$HOME/.bashrc"',
    without: { noticed: /~\/\.bashrc was added, changed or removed/, code: 0 },
  },
  'change settings that the gate obeys': {
    line: 'echo script-shell=/bin/true >>"$HOME/.npmrc"',
    without: { noticed: /~\/\.npmrc was added, changed or removed/, code: 1 },
  },
  'read a key': {
    line: 'grep -q . "$HOME/.ssh/id"',
    without: {
      unnoticed: 'to notice readers, the times of your own files would have to be changed',
    },
  },
  'replace a key': {
    line: 'mv "$HOME/.ssh" "$HOME/.ssh2"',
    without: { noticed: /~\/\.ssh\/id was added, changed or removed/, code: 1 },
  },
  'change the store': {
    line: 'echo x >>"$root/.git/yardmaster/yard.db"',
    without: { harmless: 'SQLite reads whole pages within the size that it has noted itself' },
  },
  'delete the store': {
    line: 'rm -rf "$root/.git/yardmaster" && ! test -e "$root/.git/yardmaster/yard.db"',
    without: { noticed: /were deleted during the run/, code: 3 },
  },
  'read the seal secret': {
    line: 'grep -q . "$root/.git/yardmaster/secret"',
    without: { unnoticed: 'reading a file leaves no trace' },
  },
  'delete objects': {
    line: 'rm -rf "$root/.git/objects" || ! git -C "$root" cat-file -e main',
    without: { noticed: /Objects that the target needs were deleted/, code: 3 },
  },
  'collect garbage': {
    line: 'git -C "$root" gc -q --prune=now',
    without: { harmless: 'refs hold everything that the run needs' },
  },
  'end a process outside': {
    line: 'kill -0 "$engine"',
    without: { unnoticed: 'a signal leaves no trace of its sender' },
  },
  'leave by a namespace': {
    line: 'unshare -Ur true',
    without: { harmless: 'there is no sandbox to leave' },
  },
  'leave by a mount': {
    line: 'mount -o remount,rw /',
    without: { harmless: 'there is no sandbox to leave' },
  },
};

/** Defines what the lines use; `$1` is the repository, `$2` a process outside. */
export const attackHead = `root=$1 engine=$2
other_tree() { for dir in "$PWD"/../ym-*; do
  test -e "$dir/gate.sh" && ! test "$dir" -ef . && echo "$dir" && return; done; echo /nowhere; }
test "$(other_tree)" != /nowhere || echo 'there is no other worktree' >>broken.txt
`;
