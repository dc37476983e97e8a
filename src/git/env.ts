type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Where a person keeps configuration is theirs to say, and git never sets these for its children. Every other `GIT_*`
 * may come from a hook or a wrapper that this program runs under, and would point our git at the wrong repository,
 * index or author.
 */
const keptGitVariables = new Set(['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM']);

/** Variables by which an agent knows that it runs inside an agent; ours must not think so. */
const harnessVariables =
  /^(?:CLAUDECODE|CLAUDE_CODE_|CLAUDE_AGENT_|CODEX_|OPENCODE|GEMINI_CLI|CURSOR_AGENT|CURSOR_TRACE_|QWEN_CODE|COPILOT_AGENT|AI_AGENT)/;
/** Login and set-up of an agent, which a person exports on purpose. */
const loginVariables =
  /(?:_API_KEY|_TOKEN|_AUTH_TOKEN|_USE_BEDROCK|_USE_VERTEX|_HOME|_CONFIG_DIR)$/;

const isForeignGit = (name: string): boolean =>
  name.startsWith('GIT_') && !keptGitVariables.has(name);
const isHarness = (name: string): boolean =>
  harnessVariables.test(name) && !loginVariables.test(name);

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
 * that git only guesses is none.
 */
const fixedSettings = {
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.safecrlf': 'false',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'commit.gpgSign': 'false',
  'merge.autoStash': 'false',
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
