import type { RootFiles } from './detect.ts';

/** The top of a tree, with what is in it by name. */
export interface StackFiles extends RootFiles {
  /** Names of the files and folders at the top. */
  names(): readonly string[];
}

export interface Stack {
  readonly command: string;
  /** The file that gives the stack away. */
  readonly from: string;
}

interface Sign {
  /** Names at the top; the first that is there speaks for the stack. */
  readonly files: RegExp;
  command(root: RootFiles): string | undefined;
}

const always = (command: string) => (): string => command;

/**
 * What the usual tool of a stack calls its tests. A guess by the look of a project: good enough to look at the target
 * after a run, never good enough to judge what lands. A package file is no sign by itself: where it has no test of its own
 * there is no usual one.
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

/** The first stack that a tree shows, or none. */
export function detectStack(root: StackFiles): Stack | undefined {
  const names = [...root.names()].sort();
  for (const { files, command } of signs) {
    const from = names.find((name) => files.test(name));
    const found = from === undefined ? undefined : command(root);
    if (from !== undefined && found !== undefined) return { command: found, from };
  }
  return undefined;
}
