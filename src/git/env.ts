type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Where a person keeps configuration is theirs to say, and git never sets these for its children. Every other `GIT_*`
 * may come from a hook or a wrapper that this program runs under, and would point our git at the wrong repository,
 * index or author.
 */
const keptGitVariables = new Set(['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM']);

/**
 * Variables that a coding agent sets for what it starts: that it runs there, in which session, behind which sandbox, and
 * where it can be talked to. One of ours must not take itself for part of it. Sign-ins and settings, which a person
 * exports on purpose, begin with the same words and stay.
 */
const harnessVariables = new RegExp(
  `^(?:${[
    'CLAUDECODE',
    'CLAUDE_(?:PID|EFFORT|AGENT_SDK_VERSION)',
    'CLAUDE_CODE_(?:CHILD_SESSION|ENTRYPOINT|EXECPATH|SSE_PORT|MESSAGING_\\w+|SESSION_\\w+)',
    'CODEX_(?:CI|VERSION|SESSION_ID|THREAD_ID|TOOL_CALL_ID|SANDBOX\\w*|MANAGED_\\w+|APPLY_PATCH_\\w+)',
    'OPENCODE(?:_PID|_RUN_ID|_PROCESS_ROLE)?',
    'GEMINI_CLI(?:_TRUST_WORKSPACE)?',
    'CURSOR_(?:AGENT|TRACE_\\w+)',
    'QWEN_CODE',
    'COPILOT_AGENT\\w*',
    'AI_AGENT',
    // What another run told the agent that started this one.
    'YARD_\\w+',
  ].join('|')})$`,
);

const isForeignGit = (name: string): boolean =>
  name.startsWith('GIT_') && !keptGitVariables.has(name);
const isHarness = (name: string): boolean => harnessVariables.test(name);

function without(base: Environment, drop: (name: string) => boolean): Record<string, string> {
  const entries = Object.entries(base).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !drop(entry[0]),
  );
  return Object.fromEntries(entries);
}

/** The environment of agents, gates and set-up commands: nothing of git's and nothing of another agent's session. */
export function childEnv(base: Environment): Record<string, string> {
  return without(base, (name) => isForeignGit(name) || isHarness(name));
}

/**
 * The environment of our own git: it never asks on a terminal, speaks English so that it can be read, and takes no
 * lock that it can do without.
 */
export function gitEnv(base: Environment): Record<string, string> {
  return {
    ...without(base, (name) => isForeignGit(name) || name.startsWith('LC_') || name === 'LANGUAGE'),
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'true',
    SSH_ASKPASS: 'true',
    GIT_EDITOR: 'true',
    GIT_PAGER: 'cat',
    GIT_OPTIONAL_LOCKS: '0',
  };
}

/**
 * Settings that must not depend on the person's configuration. Hooks are theirs and not for our commits; background
 * maintenance could drop objects we still need; signing and the file system monitor may ask or hang; an identity
 * that git only guesses is none. A replaced object would be judged in place of the one that lands, and a recorded
 * resolution would hide a conflict.
 */
const fixedSettings = {
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.safecrlf': 'false',
  'core.useReplaceRefs': 'false',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'commit.gpgSign': 'false',
  'merge.autoStash': 'false',
  'rerere.enabled': 'false',
  'submodule.recurse': 'false',
  'user.useConfigOnly': 'true',
  'i18n.commitEncoding': 'UTF-8',
  'color.ui': 'false',
  'advice.detachedHead': 'false',
  'advice.addEmbeddedRepo': 'false',
  'advice.ignoredHook': 'false',
} as const;

/** What stands between `git` and the verb in each of our commands. */
export const gitOptions: readonly string[] = [
  '--no-pager',
  ...Object.entries(fixedSettings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
];
