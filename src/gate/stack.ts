import type { RootFiles } from './detect.ts';

export interface StackFiles extends RootFiles {
  names(): readonly string[];
}

export interface Stack {
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
