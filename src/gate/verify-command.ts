import type { RootFiles } from './detect.ts';

interface VerifySources {
  readonly config?: string;
  readonly gate: readonly string[];
  readonly stack?: Stack;
}

type VerifyCommand =
  /** `from` is for display. */
  { readonly command: string; readonly from: string } | { readonly reason: string };

/**
 * Verify command: the configured one, else the last (most thorough) gate command, else the usual one of the stack. It
 * runs without a shell, so gate commands that need one are skipped.
 */
export function verifyCommand({ config, gate, stack }: VerifySources): VerifyCommand {
  const given = config?.trim() ?? '';
  if (given !== '') return { command: given, from: 'the config' };
  const plain = gate.filter((command) => wordsOf(command).length > 0 && !needsShell(command));
  const last = plain.at(-1);
  if (last !== undefined) return { command: last.trim(), from: 'the gate' };
  if (stack !== undefined) return { command: stack.command, from: stack.from };
  const reason =
    gate.length === 0
      ? 'there is no gate, and no file at the repository root shows how to run the tests'
      : 'the gate needs a shell, and no file at the repository root shows how to run the tests';
  return { reason };
}

/** Arguments of a command that runs without a shell. */
export function wordsOf(command: string): readonly string[] {
  return command.split(/\s+/).filter((word) => word !== '');
}

/** True for quotes, variables, pipes, assignments and shell keywords. */
function needsShell(command: string): boolean {
  const [first = ''] = wordsOf(command);
  return (
    /["'`$&|;<>()*?[\]{}~\\#!\n]/.test(command.trim()) ||
    /^[A-Za-z_]\w*=/.test(first) ||
    /^(?:cd|source|\.|export|set|exit|exec|eval|if|for|while|case)$/.test(first)
  );
}

export interface StackFiles extends RootFiles {
  names(): readonly string[];
}

interface Stack {
  readonly command: string;
  /** File that reveals the stack. */
  readonly from: string;
}

interface Sign {
  /** Top-level file names; the first match is reported as `from`. */
  readonly files: RegExp;
  command(root: RootFiles): string | undefined;
}

const always = (command: string) => (): string => command;

/**
 * Usual test command per stack. A guess: good enough to verify the target after a run, not to gate what lands. A
 * package.json is no sign by itself.
 */
const signs: readonly Sign[] = [
  { files: /^Cargo\.toml$/, command: always('cargo test') },
  { files: /^go\.mod$/, command: always('go test ./...') },
  { files: /^(?:pyproject\.toml|pytest\.ini|setup\.cfg)$/, command: always('python -m pytest') },
  { files: /^pom\.xml$/, command: (root) => `${root.has('mvnw') ? './mvnw' : 'mvn'} -q test` },
  {
    files: /^build\.gradle(?:\.kts)?$/,
    command: (root) => `${root.has('gradlew') ? './gradlew' : 'gradle'} test`,
  },
  {
    files: /^Gemfile$/,
    command: (root) => (root.has('spec') ? 'bundle exec rspec' : undefined),
  },
  { files: /^mix\.exs$/, command: always('mix test') },
  { files: /^composer\.json$/, command: always('vendor/bin/phpunit') },
  { files: /^deno\.jsonc?$/, command: always('deno test') },
  { files: /\.(?:sln|csproj|fsproj)$/, command: always('dotnet test') },
];

export function detectStack(root: StackFiles): Stack | undefined {
  const names = [...root.names()].sort();
  for (const { files, command } of signs) {
    const from = names.find((name) => files.test(name));
    const found = from === undefined ? undefined : command(root);
    if (from !== undefined && found !== undefined) return { command: found, from };
  }
  return undefined;
}
