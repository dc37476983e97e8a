import { parseJson } from '../model/shape.ts';
/** Top level of a tree, as detection sees it. */
export interface RootFiles {
  /** True if a file or folder of this name exists. */
  has(path: string): boolean;
  read(path: string): string | undefined;
}

type Detected =
  | { readonly commands: readonly string[]; readonly from: string }
  /** Nothing found in these files. */
  | { readonly looked: readonly string[] };

export type IsInstalled = (program: string) => boolean;

interface Finder {
  readonly files: readonly string[];
  /** Commands; empty if there is no sign of tests. */
  find(root: RootFiles, file: string, isInstalled: IsInstalled): readonly string[];
}

/** Names of test recipes, targets and scripts, in run order: quick ones first. */
const judges = ['lint', 'check', 'test'] as const;

/** The first match provides the whole gate; later ones are not mixed in. */
const finders: readonly Finder[] = [
  { files: ['justfile', 'Justfile', '.justfile'], find: fromJust },
  { files: ['GNUmakefile', 'makefile', 'Makefile'], find: fromMake },
  { files: ['package.json'], find: fromPackage },
  { files: ['Cargo.toml'], find: () => ['cargo test'] },
  { files: ['go.mod'], find: () => ['go test ./...'] },
  { files: ['pyproject.toml', 'setup.cfg', 'pytest.ini', 'tox.ini', 'setup.py'], find: fromPython },
  { files: ['pom.xml'], find: (root) => [`${root.has('mvnw') ? './mvnw' : 'mvn'} -q test`] },
  {
    files: ['build.gradle', 'build.gradle.kts'],
    find: (root) => [`${root.has('gradlew') ? './gradlew' : 'gradle'} test`],
  },
  { files: ['Gemfile'], find: fromGemfile },
  { files: ['composer.json'], find: fromComposer },
  { files: ['mix.exs'], find: () => ['mix test'] },
  // Weakest sign: projects in other languages may have one too.
  {
    files: [
      'requirements.txt',
      'requirements-dev.txt',
      'requirements/base.txt',
      'requirements/dev.txt',
    ],
    find: fromRequirements,
  },
];

/** Prefers a command whose program is installed. */
export function detectGate(root: RootFiles, isInstalled: IsInstalled = () => true): Detected {
  for (const { files, find } of finders) {
    for (const file of files) {
      if (!root.has(file)) continue;
      const commands = find(root, file, isInstalled);
      if (commands.length > 0) return { commands, from: file };
    }
  }
  return { looked: finders.flatMap(({ files }) => files.slice(0, 1)) };
}

/** Programs used by the commands that are not installed. A program with a path belongs to the project. */
export function missingPrograms(
  commands: readonly string[],
  isInstalled: IsInstalled,
): readonly string[] {
  const programs = commands.map((command) => command.split(' ')[0] ?? '');
  return [...new Set(programs)].filter((name) => !name.includes('/') && !isInstalled(name));
}

/** Files checked before the one that the gate was found in: creating one would change the gate. */
export function signsBefore(from: string): readonly string[] {
  const at = finders.findIndex(({ files }) => files.includes(from));
  const own = finders[at]?.files ?? [];
  const before = finders.slice(0, Math.max(0, at)).flatMap(({ files }) => files);
  return [...before, ...own.slice(0, own.indexOf(from))];
}

/** Matches a recipe whose parameters all have defaults, so that it runs alone. */
function fromJust(root: RootFiles, file: string): readonly string[] {
  const text = root.read(file) ?? '';
  return judges
    .filter((name) => new RegExp(`^@?${name}(?:\\s+[*]?\\w+=\\S+)*\\s*:(?!=)`, 'm').test(text))
    .map((name) => `just ${name}`);
}

function fromMake(root: RootFiles, file: string): readonly string[] {
  const targets = new Set<string>();
  for (const line of (root.read(file) ?? '').split('\n')) {
    // A rule; not an assignment (`:=`) or a recipe line, which starts with a tab.
    const rule = /^([^\t#:=][^:=#]*?)\s*::?(?![:=])/.exec(line);
    for (const target of rule?.[1]?.split(/\s+/) ?? []) targets.add(target);
  }
  return judges.filter((name) => targets.has(name)).map((name) => `make ${name}`);
}

function fromPackage(root: RootFiles, file: string): readonly string[] {
  const scripts = scriptsOf(root.read(file) ?? '');
  const run = runnerOf(root);
  return (['lint', 'test'] as const)
    .filter((name) => {
      const script = scripts[name];
      return typeof script === 'string' && script.trim() !== '' && !isPlaceholder(script);
    })
    .map((name) =>
      name === 'test' && run !== 'bun run' ? `${run.split(' ')[0]} test` : `${run} ${name}`,
    );
}

function fromGemfile(root: RootFiles): readonly string[] {
  if (root.has('.rspec') || root.has('spec')) return ['bundle exec rspec'];
  const hasTests = root.has('Rakefile') && root.has('test');
  return hasTests ? ['bundle exec rake test'] : [];
}

function fromComposer(root: RootFiles, file: string): readonly string[] {
  return 'test' in scriptsOf(root.read(file) ?? '') ? ['composer test'] : [];
}

/** The failing placeholder test that `npm init` writes. */
function isPlaceholder(script: string): boolean {
  return /no test specified/i.test(script) && /exit 1\s*$/.test(script);
}

/** Invalid JSON counts as no scripts; the tool that needs the file reports the error. */
function scriptsOf(text: string): Readonly<Record<string, unknown>> {
  const parsed = parseJson(text.replace(/^\uFEFF/, ''));
  if (typeof parsed !== 'object' || parsed === null || !('scripts' in parsed)) return {};
  return { ...(parsed.scripts as object | null | undefined) };
}

/** Script command of the package manager. `bun test` does not run the script named test. */
function runnerOf(root: RootFiles): string {
  const manager = nodeManager(root);
  return `${manager === 'berry' ? 'yarn' : manager} run`;
}

/**
 * A Python project file alone is no sign of tests, since many only configure an editor or formatter: it must mention
 * pytest or tox, or there must be a test folder.
 */
function fromPython(root: RootFiles, file: string, isInstalled: IsInstalled): readonly string[] {
  const text = root.read(file) ?? '';
  const isTox = file === 'tox.ini' && /^\[(?:tox|testenv)/m.test(text);
  if (isTox && isInstalled('tox')) return ['tox -q'];
  const python = pythonOf(isInstalled);
  const named = file === 'pytest.ini' || /pytest/.test(text);
  if (named || root.has('conftest.py') || root.has('tests/conftest.py'))
    return [`${python} -m pytest`];
  if (root.has('tests') || root.has('test')) return [`${python} -m unittest discover`];
  return isTox ? ['tox -q'] : [];
}

/** The setup that `ym init` writes for such a project installs pytest, which also runs unittest tests. */
function fromRequirements(
  root: RootFiles,
  file: string,
  isInstalled: IsInstalled,
): readonly string[] {
  const signs = ['tests', 'test', 'conftest.py'];
  const hasTests = /pytest/.test(root.read(file) ?? '') || signs.some((name) => root.has(name));
  return hasTests ? [`${pythonOf(isInstalled)} -m pytest`] : [];
}

function pythonOf(isInstalled: IsInstalled): string {
  return !isInstalled('python') && isInstalled('python3') ? 'python3' : 'python';
}

/** `yarn` is version 1, `berry` is Yarn 2 and newer. */
export type NodeManager = 'npm' | 'pnpm' | 'yarn' | 'berry' | 'bun';

/** Lock files by precedence; a repository may still contain one of a former package manager. */
export const nodeLocks = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['package-lock.json', 'npm'],
  ['npm-shrinkwrap.json', 'npm'],
] as const;

/** Package manager named by `packageManager`, else by the lock file. */
export function nodeManager(root: RootFiles): NodeManager {
  const named = /"packageManager"\s*:\s*"(npm|pnpm|yarn|bun)@/.exec(textOf(root, 'package.json'));
  const lock = nodeLocks.find(([file]) => root.has(file))?.[1];
  const found = nodeLocks.find(([, name]) => name === named?.[1])?.[1] ?? lock ?? 'npm';
  return found === 'yarn' && isBerry(root) ? 'berry' : found;
}

function isBerry(root: RootFiles): boolean {
  const isNewer = /"packageManager"\s*:\s*"yarn@(?!1\.)/.test(textOf(root, 'package.json'));
  return isNewer || root.has('.yarnrc.yml') || textOf(root, 'yarn.lock').includes('__metadata:');
}

/** Text of a file; empty if it does not exist. */
export function textOf(root: RootFiles, path: string): string {
  return root.has(path) ? (root.read(path) ?? '') : '';
}
