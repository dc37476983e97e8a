import { nodeManager } from './node-packages.ts';

/** The top of a tree, as far as detection needs it. */
export interface RootFiles {
  /** Whether there is a file or a folder of this name. */
  has(path: string): boolean;
  /** The text of a file, or none where it is not there. */
  read(path: string): string | undefined;
}

export type Detected =
  | { readonly commands: readonly string[]; readonly from: string }
  /** Nothing was found; these are the places that were looked at. */
  | { readonly looked: readonly string[] };

/** Whether a program is on the PATH of this machine. */
export type IsInstalled = (program: string) => boolean;

interface Finder {
  readonly files: readonly string[];
  /** Commands, or none where the files give no sign of tests. */
  find(root: RootFiles, file: string, isInstalled: IsInstalled): readonly string[];
}

/** Names of recipes, targets and scripts that judge, in the order in which they are run: the quick ones first. */
const judges = ['lint', 'check', 'test'] as const;

/** The first place with any sign of a gate gives the whole gate; later ones are not mixed in. */
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
  // The weakest sign: projects of other languages have such a list as well.
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

/** Where several commands would do, one is taken whose program is installed. */
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

/** Programs that the commands begin with and that are not installed. Those of the project itself have a path. */
export function missingPrograms(
  commands: readonly string[],
  isInstalled: IsInstalled,
): readonly string[] {
  const programs = commands.map((command) => command.split(' ')[0] ?? '');
  return [...new Set(programs)].filter((name) => !name.includes('/') && !isInstalled(name));
}

/** Files that are looked at before the one a gate was found in: a new one of them would be taken instead. */
export function signsBefore(from: string): readonly string[] {
  const at = finders.findIndex(({ files }) => files.includes(from));
  const own = finders[at]?.files ?? [];
  const before = finders.slice(0, Math.max(0, at)).flatMap(({ files }) => files);
  return [...before, ...own.slice(0, own.indexOf(from))];
}

/** A recipe begins a line with its name and may have parameters with defaults; only those without run alone. */
function fromJust(root: RootFiles, file: string): readonly string[] {
  const text = root.read(file) ?? '';
  return judges
    .filter((name) => new RegExp(`^@?${name}(?:\\s+[*]?\\w+=\\S+)*\\s*:(?!=)`, 'm').test(text))
    .map((name) => `just ${name}`);
}

function fromMake(root: RootFiles, file: string): readonly string[] {
  const targets = new Set<string>();
  for (const line of (root.read(file) ?? '').split('\n')) {
    // A rule, not an assignment (`:=`) and not a recipe line, which begins with a tab.
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

/** The test that `npm init` writes: it always fails and tests nothing. */
function isPlaceholder(script: string): boolean {
  return /no test specified/i.test(script) && /exit 1\s*$/.test(script);
}

/** A package file that is not JSON gives no sign; the tools that need it will say what is wrong with it. */
function scriptsOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    if (typeof parsed !== 'object' || parsed === null || !('scripts' in parsed)) return {};
    return { ...(parsed.scripts as object | null | undefined) };
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

/** How a package manager runs a script. `bun test` is another thing than the script of that name. */
function runnerOf(root: RootFiles): string {
  const manager = nodeManager(root);
  return `${manager === 'berry' ? 'yarn' : manager} run`;
}

/**
 * A Python project file is no sign by itself, as many hold only settings of an editor or formatter: it must name
 * pytest or tox, or stand beside a folder of tests.
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

/** The set-up that `ym init` writes for such a list installs pytest, which runs the tests of unittest as well. */
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
