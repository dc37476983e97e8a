/** A coding agent without an adapter of its own, started by an interface that its vendor documents. */
export interface Preset {
  /** Name of the program on PATH. */
  readonly binary: string;
  /** `acp`: the Agent Client Protocol on standard input and output. `command`: a prompt in, text out. */
  readonly by: 'acp' | 'command';
  /** Arguments after the program, with placeholders as in `use: command`. */
  readonly args: readonly string[];
  /** Arguments of a one-shot call, if they differ. */
  readonly reviewArgs?: readonly string[];
  /** Variables of a one-shot call, which make it ask before it writes. */
  readonly reviewEnv?: Readonly<Record<string, string>>;
  /** Method of the protocol's `authenticate`, for an agent that needs it before a conversation. */
  readonly auth?: string;
  /** Folders of its login, settings and conversations, which it may write in the sandbox. */
  readonly folders: readonly string[];
  /** Variables that sign it in; they pass `sandbox: strict`. */
  readonly variables: readonly string[];
}

/** Aider asks about everything it finds; these answer yes, and keep it from what only a person wants. */
const aiderArgs = [
  ...['--message-file', '{prompt_file}', '--model', '{model}', '--reasoning-effort', '{reasoning}'],
  ...['--yes-always', '--no-pretty', '--no-stream', '--no-gitignore', '--no-check-update'],
  ...['--no-show-model-warnings', '--no-detect-urls', '--no-suggest-shell-commands'],
];

export const presets = {
  qwen: {
    binary: 'qwen',
    by: 'acp',
    args: ['--acp'],
    folders: ['~/.qwen'],
    variables: ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'OPENAI_MODEL', 'DASHSCOPE_API_KEY'],
  },
  goose: {
    binary: 'goose',
    by: 'acp',
    args: ['acp'],
    reviewEnv: { GOOSE_MODE: 'approve' },
    folders: ['~/.config/goose', '~/.local/share/goose', '~/.local/state/goose'],
    variables: ['GOOSE_PROVIDER', 'GOOSE_MODEL', 'GOOSE_DISABLE_KEYRING', 'OPENAI_API_KEY'],
  },
  copilot: {
    binary: 'copilot',
    by: 'acp',
    // With a provider of the user's own it takes the model only here.
    args: ['--acp', '--no-auto-update', '--model', '{model}'],
    folders: ['~/.copilot', '~/.cache/copilot'],
    variables: ['COPILOT_GITHUB_TOKEN', 'GH_TOKEN', 'GITHUB_TOKEN'],
  },
  cursor: {
    binary: 'cursor-agent',
    by: 'acp',
    args: ['acp'],
    auth: 'cursor_login',
    folders: ['~/.cursor', '~/.config/cursor'],
    variables: ['CURSOR_API_KEY', 'CURSOR_AUTH_TOKEN'],
  },
  amp: {
    binary: 'amp',
    by: 'command',
    // Amp chooses the model by a mode.
    args: ['--execute', '--no-ide', '--no-notifications', '--mode', '{model}'],
    folders: ['~/.config/amp', '~/.local/share/amp', '~/.cache/amp'],
    variables: ['AMP_API_KEY', 'AMP_URL'],
  },
  aider: {
    binary: 'aider',
    by: 'command',
    args: [...aiderArgs, '--no-auto-commits'],
    reviewArgs: [...aiderArgs, '--chat-mode', 'ask'],
    folders: ['~/.aider'],
    variables: ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GEMINI_API_KEY', 'OPENROUTER_API_KEY'],
  },
} as const satisfies Readonly<Record<string, Preset>>;

export type PresetName = keyof typeof presets;

export const isPreset = (use: string): use is PresetName => Object.hasOwn(presets, use);
