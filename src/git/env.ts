type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Kept because the user sets them on purpose. Any other `GIT_*` may come from a hook or wrapper around this program and
 * would point our git at the wrong repository, index or author.
 */
const keptGitVariables = new Set(['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM']);

/** How git reaches other machines. Only our own git gets these: an agent needs no key for the shared repository. */
const transportVariables = /^GIT_(?:SSH|SSH_COMMAND|SSH_VARIANT|SSL_\w+|PROXY_\w+|HTTP_\w+)$/;

/**
 * Session variables that a coding agent sets for its children: session id, sandbox, ports. An agent that we start must
 * not take itself for part of that session. Credentials and settings with the same prefixes stay.
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
    // Set by another run for the agent that started this one.
    'YARD_\\w+',
    // Names who started a run; its agents act for themselves.
    'YARDMASTER_ACTOR',
  ].join('|')})$`,
);

const isForeignGit = (name: string): boolean =>
  name.startsWith('GIT_') && !keptGitVariables.has(name);
const isHarness = (name: string): boolean => harnessVariables.test(name);
/** May contain a password, and no child opens the store. */
const isStore = (name: string): boolean => name === 'YARDMASTER_STORE';

function without(base: Environment, drop: (name: string) => boolean): Record<string, string> {
  const entries = Object.entries(base).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !drop(entry[0]),
  );
  return Object.fromEntries(entries);
}

/** Environment for agents, gates and setup commands, without git's variables and other agents' session variables. */
export function childEnv(base: Environment): Record<string, string> {
  return without(base, (name) => isForeignGit(name) || isHarness(name) || isStore(name));
}

/** Environment for our own git: no prompts, English messages, no optional locks. */
export function gitEnv(base: Environment): Record<string, string> {
  return {
    ...without(base, (name) => {
      if (transportVariables.test(name)) return false;
      return isForeignGit(name) || name.startsWith('LC_') || name === 'LANGUAGE';
    }),
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
 * Git settings that must not depend on the user's config. Hooks are not meant for our commits; background maintenance
 * could remove objects that we need; signing and the file system monitor may prompt or hang; a guessed identity does
 * not count. A replaced object would be tested instead of the one that lands, and rerere would hide a conflict.
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

/** Options before the subcommand of every git command. */
export const gitOptions: readonly string[] = [
  '--no-pager',
  ...Object.entries(fixedSettings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
];
