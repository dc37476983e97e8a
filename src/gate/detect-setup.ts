import { type NodeManager, nodeLocks, nodeManager, textOf } from './detect.ts';
import type { StackFiles } from './verify-command.ts';

/** Commands that install a project's dependencies. */
export interface DetectedSetup {
  readonly manager: string;
  /** File that reveals the package manager. */
  readonly from: string;
  readonly commands: readonly string[];
  /** Python command for gates, so that they find the installed packages. */
  readonly python?: string;
}

type Finder = (root: StackFiles) => DetectedSetup | undefined;

/** One finder per language; a mixed repository gets the commands of all. */
const finders: readonly Finder[] = [
  fromNode,
  fromPython,
  locked('Cargo.lock', 'cargo', 'cargo fetch --locked'),
  locked('go.sum', 'go', 'go mod download'),
  locked('Gemfile.lock', 'bundler', 'BUNDLE_FROZEN=true bundle install --quiet'),
  locked('composer.lock', 'composer', 'composer install --no-interaction --no-progress'),
  locked('mix.lock', 'mix', 'mix deps.get'),
  fromDotnet,
  fromMaven,
  fromGradle,
  locked('deno.lock', 'deno', 'deno install --frozen'),
];

function locked(file: string, manager: string, command: string): Finder {
  return (root) => whereThere(root, file, manager, command);
}

/** Setup for every package manager found at the top of a tree. */
export function detectSetup(root: StackFiles): readonly DetectedSetup[] {
  return finders.flatMap((find) => find(root) ?? []);
}

/** Gate commands that use the Python environment from the setup. */
export function gateAfterSetup(
  gate: readonly string[],
  setups: readonly DetectedSetup[],
): readonly string[] {
  const python = setups.find((setup) => setup.python !== undefined)?.python;
  if (python === undefined) return gate;
  return gate.map((command) => command.replace(/^python3?(?=\s)/, python));
}

const nodeInstall: Readonly<Record<NodeManager, string>> = {
  npm: 'npm ci --prefer-offline --no-audit --no-fund',
  pnpm: 'pnpm install --frozen-lockfile',
  yarn: 'yarn install --frozen-lockfile',
  berry: 'yarn install --immutable',
  bun: 'bun install --frozen-lockfile',
};

function fromNode(root: StackFiles): DetectedSetup | undefined {
  if (!root.has('package.json')) return undefined;
  const manager = nodeManager(root);
  const name = manager === 'berry' ? 'yarn' : manager;
  const lock = nodeLocks.find(([file, of]) => of === name && root.has(file))?.[0];
  if (lock !== undefined) return setup(name, lock, nodeInstall[manager]);
  // A lock file written by the install would be committed with the agent's work.
  return /"(?:dev|optional)?[dD]ependencies"\s*:\s*\{\s*"/.test(textOf(root, 'package.json'))
    ? setup('npm', 'package.json', 'npm install --no-package-lock --no-audit --no-fund')
    : undefined;
}

/** Python tools with a lock file, configured to use a `.venv` per worktree. */
const pythonLocks = [
  ['uv.lock', 'uv', 'uv sync --locked', 'uv run --no-sync python'],
  [
    'poetry.lock',
    'poetry',
    'POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --no-interaction',
    'poetry run python',
  ],
  ['pdm.lock', 'pdm', 'pdm sync', 'pdm run python'],
  [
    'Pipfile.lock',
    'pipenv',
    'PIPENV_VENV_IN_PROJECT=1 pipenv sync --dev',
    'PIPENV_VENV_IN_PROJECT=1 pipenv run python',
  ],
] as const;

/** Older Pythons do not write the ignore file, and the environment would be committed. */
const makeVenv = "python3 -m venv .venv && echo '*' > .venv/.gitignore";
const venvPython = '.venv/bin/python';

function fromPython(root: StackFiles): DetectedSetup | undefined {
  const locked = pythonLocks.find(([file]) => root.has(file));
  if (locked !== undefined) {
    const [file, name, command, python] = locked;
    return { ...setup(name, file, command), python };
  }
  const lists = requirementLists(root);
  const [first] = lists;
  if (first !== undefined) {
    const what = lists.map((file) => `-r ${file}`).join(' ');
    return pip(first, `${what} ${packageOf(root)}pytest`);
  }
  return fromPyproject(root);
}

/** Requirement files of the program and of its tests: the first of each that exists. */
function requirementLists(root: StackFiles): readonly string[] {
  const own = ['requirements.txt', 'requirements/base.txt'];
  const kinds = ['test', 'tests', 'testing', 'dev', 'development'];
  const tests = kinds.flatMap((kind) => [
    `requirements-${kind}.txt`,
    `requirements_${kind}.txt`,
    `${kind}-requirements.txt`,
    `requirements/${kind}.txt`,
  ]);
  return [own, tests].flatMap((names) => names.find((name) => root.has(name)) ?? []);
}

function fromPyproject(root: StackFiles): DetectedSetup | undefined {
  const text = textOf(root, 'pyproject.toml');
  const isPackage = packageOf(root) !== '';
  const needs =
    /^dependencies\s*=\s*\[\s*['"]/m.test(text) || /pytest/.test(text) || root.has('conftest.py');
  if (!isPackage || !needs) return undefined;
  const extra = /^\[project\.optional-dependencies\]([^[]*(?:\[[^\]]*\][^[]*)*)/m.exec(text)?.[1];
  const kinds = ['test', 'tests', 'testing', 'dev'];
  const named = kinds.find((kind) => new RegExp(`^${kind}\\s*=`, 'm').test(extra ?? ''));
  const itself = named === undefined ? '-e .' : `-e '.[${named}]'`;
  return pip('pyproject.toml', `${itself} pytest`);
}

/** Installs the project itself if it is a package. */
function packageOf(root: StackFiles): string {
  const isPackage = /^\[(?:project|build-system)\]/m.test(textOf(root, 'pyproject.toml'));
  return isPackage || root.has('setup.py') ? '-e . ' : '';
}

function pip(from: string, what: string): DetectedSetup {
  const install = `${venvPython} -m pip install -q --disable-pip-version-check ${what}`;
  return { ...setup('pip', from, makeVenv, install), python: venvPython };
}

function fromDotnet(root: StackFiles): DetectedSetup | undefined {
  const locked = whereThere(root, 'packages.lock.json', 'dotnet', 'dotnet restore --locked-mode');
  if (locked !== undefined) return locked;
  const project = root.names().find((name) => /\.(?:slnx?|csproj|fsproj)$/.test(name));
  return project === undefined ? undefined : setup('dotnet', project, 'dotnet restore');
}

/** Modules that depend on each other cannot be resolved before a build; then only plugins are fetched. */
function fromMaven(root: StackFiles): DetectedSetup | undefined {
  const goal = /<modules>/.test(textOf(root, 'pom.xml')) ? 'validate' : 'dependency:go-offline';
  const program = root.has('mvnw') ? './mvnw' : 'mvn';
  return whereThere(root, 'pom.xml', 'maven', `${program} -q -B ${goal}`);
}

/** Fetches Gradle and the build's plugins, so that they do not use up the gate's time. */
function fromGradle(root: StackFiles): DetectedSetup | undefined {
  const command = `${root.has('gradlew') ? './gradlew' : 'gradle'} -q --console=plain help`;
  return (
    whereThere(root, 'build.gradle', 'gradle', command) ??
    whereThere(root, 'build.gradle.kts', 'gradle', command)
  );
}

function whereThere(
  root: StackFiles,
  file: string,
  manager: string,
  command: string,
): DetectedSetup | undefined {
  return root.has(file) ? setup(manager, file, command) : undefined;
}

function setup(manager: string, from: string, ...commands: readonly string[]): DetectedSetup {
  return { manager, from, commands };
}
