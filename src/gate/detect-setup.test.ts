import { describe, expect, it } from 'vitest';
import { detectSetup, gateAfterSetup } from './detect-setup.ts';
import type { StackFiles } from './verify-command.ts';

function files(texts: Readonly<Record<string, string>>): StackFiles {
  return {
    has: (path) => path in texts,
    read: (path) => texts[path],
    names: () => Object.keys(texts),
  };
}

type Texts = Readonly<Record<string, string>>;

const found = (texts: Texts) =>
  detectSetup(files(texts)).map(({ manager, from, commands }) => [manager, from, ...commands]);

const pkg = '{ "name": "x" }';
const install = '.venv/bin/python -m pip install -q --disable-pip-version-check';
const venv = "python3 -m venv .venv && echo '*' > .venv/.gitignore";

describe('detectSetup', () => {
  it.each<[string, Texts, readonly string[]]>([
    [
      'npm',
      { 'package.json': pkg, 'package-lock.json': '' },
      ['package-lock.json', 'npm ci --prefer-offline --no-audit --no-fund'],
    ],
    [
      'npm',
      { 'package.json': pkg, 'npm-shrinkwrap.json': '' },
      ['npm-shrinkwrap.json', 'npm ci --prefer-offline --no-audit --no-fund'],
    ],
    [
      'pnpm',
      { 'package.json': pkg, 'pnpm-lock.yaml': '' },
      ['pnpm-lock.yaml', 'pnpm install --frozen-lockfile'],
    ],
    [
      'yarn',
      { 'package.json': pkg, 'yarn.lock': '# yarn lockfile v1' },
      ['yarn.lock', 'yarn install --frozen-lockfile'],
    ],
    [
      'yarn',
      { 'package.json': pkg, 'yarn.lock': '__metadata:\n  version: 8\n' },
      ['yarn.lock', 'yarn install --immutable'],
    ],
    [
      'yarn',
      { 'package.json': pkg, 'yarn.lock': '', '.yarnrc.yml': '' },
      ['yarn.lock', 'yarn install --immutable'],
    ],
    ['bun', { 'package.json': pkg, 'bun.lock': '' }, ['bun.lock', 'bun install --frozen-lockfile']],
    [
      'bun',
      { 'package.json': pkg, 'bun.lockb': '' },
      ['bun.lockb', 'bun install --frozen-lockfile'],
    ],
    ['uv', { 'uv.lock': '', 'pyproject.toml': '[project]' }, ['uv.lock', 'uv sync --locked']],
    [
      'poetry',
      { 'poetry.lock': '' },
      ['poetry.lock', 'POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --no-interaction'],
    ],
    ['pdm', { 'pdm.lock': '' }, ['pdm.lock', 'pdm sync']],
    [
      'pipenv',
      { 'Pipfile.lock': '', 'requirements.txt': '' },
      ['Pipfile.lock', 'PIPENV_VENV_IN_PROJECT=1 pipenv sync --dev'],
    ],
    [
      'pip',
      { 'requirements.txt': 'flask\n' },
      ['requirements.txt', venv, `${install} -r requirements.txt pytest`],
    ],
    [
      'pip',
      { 'requirements.txt': '', 'requirements-dev.txt': '', 'setup.py': '' },
      [
        'requirements.txt',
        venv,
        `${install} -r requirements.txt -r requirements-dev.txt -e . pytest`,
      ],
    ],
    [
      'pip',
      {
        'pyproject.toml':
          '[project]\nname = "x"\ndependencies = ["a"]\n[project.optional-dependencies]\ndocs = ["s"]\ntest = [\n  "pytest",\n]\n',
      },
      ['pyproject.toml', venv, `${install} -e '.[test]' pytest`],
    ],
    ['cargo', { 'Cargo.toml': '', 'Cargo.lock': '' }, ['Cargo.lock', 'cargo fetch --locked']],
    ['go', { 'go.mod': '', 'go.sum': '' }, ['go.sum', 'go mod download']],
    [
      'bundler',
      { 'Gemfile.lock': '' },
      ['Gemfile.lock', 'BUNDLE_FROZEN=true bundle install --quiet'],
    ],
    [
      'composer',
      { 'composer.lock': '' },
      ['composer.lock', 'composer install --no-interaction --no-progress'],
    ],
    ['mix', { 'mix.lock': '' }, ['mix.lock', 'mix deps.get']],
    ['dotnet', { 'Shop.sln': '' }, ['Shop.sln', 'dotnet restore']],
    [
      'dotnet',
      { 'Shop.csproj': '', 'packages.lock.json': '' },
      ['packages.lock.json', 'dotnet restore --locked-mode'],
    ],
    ['maven', { 'pom.xml': '<project/>' }, ['pom.xml', 'mvn -q -B dependency:go-offline']],
    [
      'maven',
      { 'pom.xml': '<modules><module>a</module></modules>', mvnw: '' },
      ['pom.xml', './mvnw -q -B validate'],
    ],
    [
      'gradle',
      { 'build.gradle.kts': '', gradlew: '' },
      ['build.gradle.kts', './gradlew -q --console=plain help'],
    ],
    ['deno', { 'deno.lock': '' }, ['deno.lock', 'deno install --frozen']],
  ])('installs with %s in %o', (manager, texts, rest) => {
    expect(found(texts)).toEqual([[manager, ...rest]]);
  });

  it('takes the package manager that package.json names over a lock file that was left behind', () => {
    const named = '{ "packageManager": "pnpm@9.1.0" }';
    const texts = { 'package.json': named, 'yarn.lock': '', 'pnpm-lock.yaml': '' };
    expect(found(texts)[0]).toEqual(expect.arrayContaining(['pnpm-lock.yaml']));
  });

  it('creates no lock file', () => {
    const texts = { 'package.json': '{ "devDependencies": { "vitest": "1" } }' };
    expect(found(texts)).toEqual([
      ['npm', 'package.json', 'npm install --no-package-lock --no-audit --no-fund'],
    ]);
  });

  it.each<Texts>([
    {},
    { 'package.json': pkg },
    { 'package.json': '{ "dependencies": {} }' },
    { 'go.mod': '' },
    { 'pyproject.toml': '[tool.ruff]\n' },
    { 'pyproject.toml': '[project]\ndependencies = []\n', tests: '' },
  ])('needs nothing in %o', (texts) => {
    expect(found(texts)).toEqual([]);
  });

  it('installs for every language of a repository', () => {
    const texts = { 'package.json': pkg, 'package-lock.json': '', 'uv.lock': '', 'go.sum': '' };
    expect(found(texts).map(([manager]) => manager)).toEqual(['npm', 'uv', 'go']);
  });
});

describe('gateAfterSetup', () => {
  it('uses the Python environment of the setup', () => {
    const gate = ['python -m pytest', 'make test'];
    const gateIn = (texts: Texts) => gateAfterSetup(gate, detectSetup(files(texts)));
    expect(gateIn({})).toEqual(gate);
    expect(gateIn({ 'go.sum': '' })).toEqual(gate);
    expect(gateIn({ 'uv.lock': '' })).toEqual(['uv run --no-sync python -m pytest', 'make test']);
    expect(gateIn({ 'requirements.txt': '' })).toEqual(['.venv/bin/python -m pytest', 'make test']);
  });
});
