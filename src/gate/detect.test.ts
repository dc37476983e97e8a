import { describe, expect, it } from 'vitest';
import { detectGate, type IsInstalled, missingPrograms, type RootFiles } from './detect.ts';

function files(texts: Readonly<Record<string, string>>): RootFiles {
  return { has: (path) => path in texts, read: (path) => texts[path] };
}

const commandsIn = (
  texts: Readonly<Record<string, string>>,
  isInstalled?: IsInstalled,
): readonly string[] => {
  const found = detectGate(files(texts), isInstalled);
  return 'commands' in found ? found.commands : [];
};

const pkg = (scripts: unknown): string => JSON.stringify({ name: 'x', scripts });
const placeholder = 'echo "Error: no test specified" && exit 1';

describe('detectGate', () => {
  it('lists the files it checked if nothing is found', () => {
    const found = detectGate(files({ 'README.md': '# test:' }));
    expect(found).toEqual({
      looked: [
        'justfile',
        'GNUmakefile',
        'package.json',
        'Cargo.toml',
        'go.mod',
        'pyproject.toml',
        'pom.xml',
        'build.gradle',
        'Gemfile',
        'composer.json',
        'mix.exs',
        'requirements.txt',
      ],
    });
  });

  it('takes the recipes of a justfile', () => {
    const justfile =
      'set shell := ["bash"]\n\n@lint:\n  x\ntest filter="":\n  y\nbuild: lint\n  z\n';
    expect(detectGate(files({ justfile }))).toEqual({
      commands: ['just lint', 'just test'],
      from: 'justfile',
    });
  });

  it('does not take a recipe that needs an argument, or a variable, for a gate', () => {
    expect(commandsIn({ justfile: 'test name:\n  x\nlint := "a"\n' })).toEqual([]);
  });

  it('takes the targets of a Makefile', () => {
    const Makefile = '.PHONY: test lint\nCC := gcc\nall: test\nlint test: deps\n\trun\n';
    expect(commandsIn({ Makefile })).toEqual(['make lint', 'make test']);
  });

  it.each([
    ['an assignment', 'test := 1\nlint = 2\ncheck ::= 3\n'],
    ['a recipe line', 'all:\n\ttest: x\n'],
    ['a mere dependency', 'all: test\n\tx\n'],
    ['a comment', '# test: runs\n'],
    ['a longer name', 'test-unit: x\n\ty\n'],
  ])('does not take %s in a Makefile for a target', (_, Makefile) => {
    expect(commandsIn({ Makefile })).toEqual([]);
  });

  it('takes the scripts of package.json', () => {
    expect(commandsIn({ 'package.json': pkg({ test: 'vitest', lint: 'biome', x: 'y' }) })).toEqual([
      'npm run lint',
      'npm test',
    ]);
  });

  it("refuses npm's placeholder, and keeps the other scripts", () => {
    expect(commandsIn({ 'package.json': pkg({ test: placeholder }) })).toEqual([]);
    expect(commandsIn({ 'package.json': pkg({ test: placeholder, lint: 'x' }) })).toEqual([
      'npm run lint',
    ]);
  });

  it('parses package.json as JSON', () => {
    const text = JSON.stringify({ description: '"scripts": { "test": "x" }', jest: { test: 'x' } });
    expect(commandsIn({ 'package.json': text })).toEqual([]);
  });

  it.each(['{', '[]', 'null', pkg(null), pkg('x'), pkg({ test: 5 }), pkg({ test: ' ' })])(
    'finds nothing in the package file %s, and does not fail',
    (text) => {
      expect(commandsIn({ 'package.json': text })).toEqual([]);
    },
  );

  it.each([
    ['pnpm-lock.yaml', ['pnpm run lint', 'pnpm test']],
    ['yarn.lock', ['yarn run lint', 'yarn test']],
    ['bun.lock', ['bun run lint', 'bun run test']],
    ['bun.lockb', ['bun run lint', 'bun run test']],
    ['package-lock.json', ['npm run lint', 'npm test']],
  ])('runs scripts as %s asks for', (lock, commands) => {
    const texts = { 'package.json': pkg({ test: 'x', lint: 'y' }), [lock]: '' };
    expect(commandsIn(texts)).toEqual(commands);
  });

  it.each([
    ['Cargo.toml', {}, ['cargo test']],
    ['go.mod', {}, ['go test ./...']],
    ['pytest.ini', {}, ['python -m pytest']],
    ['pyproject.toml', { 'pyproject.toml': '[tool.pytest.ini_options]' }, ['python -m pytest']],
    ['pyproject.toml', { 'tests/conftest.py': '' }, ['python -m pytest']],
    ['setup.cfg', { tests: '' }, ['python -m unittest discover']],
    ['requirements.txt', { tests: '' }, ['python -m pytest']],
    ['requirements/dev.txt', { 'requirements/dev.txt': 'pytest' }, ['python -m pytest']],
    ['requirements.txt', {}, []],
    ['tox.ini', { 'tox.ini': '[tox]\n' }, ['tox -q']],
    ['pom.xml', {}, ['mvn -q test']],
    ['pom.xml', { mvnw: '' }, ['./mvnw -q test']],
    ['build.gradle', {}, ['gradle test']],
    ['build.gradle.kts', { gradlew: '' }, ['./gradlew test']],
  ])('knows a project by its %s with %o', (file, more, commands) => {
    expect(commandsIn({ [file]: '', ...more })).toEqual(commands);
  });

  it.each([
    ['tox', { 'tox.ini': '[testenv]\ndeps = pytest\n' }, ['python3'], ['python3 -m pytest']],
    ['tox', { 'tox.ini': '[testenv]\n', tests: '' }, ['python'], ['python -m unittest discover']],
    ['tox', { 'tox.ini': '[testenv]\n' }, ['python'], ['tox -q']],
    ['python', { 'pytest.ini': '' }, ['python3'], ['python3 -m pytest']],
    ['both', { 'pytest.ini': '' }, [], ['python -m pytest']],
  ])('does without %s where that is not installed: %o', (_, texts, here, commands) => {
    expect(commandsIn(texts, (name) => (here as readonly string[]).includes(name))).toEqual(
      commands,
    );
  });

  it('names programs that are not installed, apart from those of the project', () => {
    const commands = ['mvn -q test', './gradlew test', '.venv/bin/python -m pytest', 'make test'];
    expect(missingPrograms(commands, (name) => name === 'make')).toEqual(['mvn']);
  });

  it('does not take a pyproject that only formats for a gate', () => {
    expect(commandsIn({ 'pyproject.toml': '[tool.black]\nline-length = 100\n' })).toEqual([]);
  });

  it('takes the whole gate from the first place with a sign, and mixes nothing in', () => {
    const all = {
      justfile: 'lint:\n  x\n',
      Makefile: 'test:\n\tx\n',
      'package.json': pkg({ test: 'x' }),
      'Cargo.toml': '',
    };
    expect(detectGate(files(all))).toEqual({ commands: ['just lint'], from: 'justfile' });
  });

  it('goes on to the next place when the first gives no sign', () => {
    const all = {
      justfile: 'build:\n  x\n',
      'package.json': pkg({ test: placeholder }),
      'go.mod': '',
    };
    expect(detectGate(files(all))).toEqual({ commands: ['go test ./...'], from: 'go.mod' });
  });

  it.each([
    [{ Gemfile: '', spec: '' }, ['bundle exec rspec']],
    [{ Gemfile: '', Rakefile: '', test: '' }, ['bundle exec rake test']],
    [{ Gemfile: '' }, []],
    [{ 'composer.json': '{ "scripts": { "test": "phpunit" } }' }, ['composer test']],
    [{ 'composer.json': '{}' }, []],
    [{ 'mix.exs': '' }, ['mix test']],
  ])('finds in %o the gate %o', (texts: Readonly<Record<string, string>>, commands) => {
    expect(commandsIn(texts)).toEqual(commands);
  });
});
