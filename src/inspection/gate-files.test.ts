import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Violation } from '../model/violation.ts';
import type { ChangedText } from './changed.ts';
import { commandsOf } from './commands.ts';
import { gateChanges } from './gate-files.ts';

const pkg = (scripts: Record<string, string>): string => JSON.stringify({ scripts });

/** Files of the target that decide what a gate runs, of those that are asked about. */
function decisive(
  gate: string,
  candidates: readonly string[],
  texts: Readonly<Record<string, string>> = {},
): readonly string[] {
  const changed = candidates.map((path): ChangedText => ({ path, before: 'a', after: 'b' }));
  return files(gateChanges(changed, { gate: [gate], tests: 'guard' }, (path) => texts[path]));
}

function files(violations: readonly Violation[]): readonly string[] {
  return violations.flatMap((violation) => ('file' in violation ? [violation.file] : []));
}

describe('files that the gate runs', () => {
  it.each([
    ['./check.sh', ['check.sh']],
    ['scripts/ci.sh --fast', ['scripts/ci.sh']],
    ['CI=1 FORCE=1 sh -eu check.sh', ['check.sh']],
    ['bash -euo pipefail check.sh', ['check.sh']],
    ['env CI=1 node tools/test.mjs', ['tools/test.mjs']],
    ['node --max-old-space-size=4096 tools/test.mjs tests', ['tools/test.mjs']],
    ['node --import ./setup.mjs --test', ['setup.mjs']],
    ['node tools/run', ['tools/run.js']],
    ['timeout 60 python3 tools/check.py', ['tools/check.py']],
    ['npm run x; sh -c "cd sub && ./check.sh"', ['sub/check.sh']],
    ['cd sub && ./check.sh', ['sub/check.sh']],
    ['. ./env.sh && true', ['env.sh']],
    ['make test', ['Makefile']],
    ['make test', ['GNUmakefile']],
    ['make -C sub test', ['sub/Makefile']],
    ['make -f ci.mk test', ['ci.mk']],
    ['just test', ['justfile']],
    ['tox -q', ['tox.ini']],
  ])('%s: %j', (gate, expected) => {
    expect(decisive(gate, [...expected, 'other.sh'])).toEqual(expected);
  });

  it.each([
    ['vitest run src/a.ts', 'src/a.ts'],
    ['tsc -p tsconfig.json', 'tsconfig.json'],
    ['node --test test/a.js', 'test/a.js'],
    ['gcc src/main.c && ./a.out', 'src/main.c'],
    ['cargo test', 'Cargo.toml'],
    ['make test', 'sub/Makefile'],
    ['sh ../check.sh', 'check.sh'],
    ['echo check.sh', 'check.sh'],
  ])('%s does not make %s one of them', (gate, path) => {
    expect(decisive(gate, [path])).toEqual([]);
  });

  it('follows scripts of a package to the files that they run', () => {
    const texts = { 'package.json': pkg({ test: 'npm run unit && tsc', unit: 'node check.js' }) };
    expect(decisive('npm test', ['check.js', 'tsconfig.json'], texts)).toEqual(['check.js']);
  });

  it('follows shell scripts and recipes to further scripts, and not to the product they try out', () => {
    const texts = {
      'check.sh': 'set -e\n. lib/env.sh\nnode src/main.js | grep hello\nmake -s verify\n',
      Makefile: 'include rules.mk\nverify:\n\t@./scripts/verify.sh\n\tpython app.py\n',
    };
    const asked = [
      'lib/env.sh',
      'src/main.js',
      'Makefile',
      'rules.mk',
      'scripts/verify.sh',
      'app.py',
    ];
    expect(decisive('sh check.sh', asked, texts)).toEqual(
      asked.filter((path) => path !== 'src/main.js' && path !== 'app.py'),
    );
  });

  it('does not go round in circles', () => {
    const texts = {
      'package.json': pkg({ test: 'npm run test && ./a.sh', a: 'npm test' }),
      'a.sh': './b.sh\nnpm run a\n',
      'b.sh': './a.sh\n',
    };
    expect(decisive('npm test', ['a.sh', 'b.sh'], texts)).toEqual(['a.sh', 'b.sh']);
  });

  it('lets a test that the gate names grow, and no more than that', () => {
    const before = "import { a } from './a.js';\nassert.equal(a(), 1);\n";
    const rules = { gate: ['node test.js'], tests: 'guard' } as const;
    const violations = (after: string): readonly Violation[] =>
      gateChanges([{ path: 'test.js', before, after }], rules, () => undefined);
    expect(violations(`${before}assert.equal(a(), 1);\n`)).toEqual([]);
    expect(violations(before.replace('{ a }', '{ a, b }'))).toEqual([]);
    expect(files(violations(before.replace('equal', 'ok')))).toEqual(['test.js']);
  });

  it('names a file that is new and would be run', () => {
    const added = (gate: string, path: string): readonly string[] =>
      files(gateChanges([{ path, after: 'x' }], { gate: [gate], tests: 'guard' }, () => undefined));
    expect(added('make test', 'GNUmakefile')).toEqual(['GNUmakefile']);
    expect(added('python -m pytest', 'pytest.py')).toEqual(['pytest.py']);
    expect(added('python -m pytest', 'pytest/__main__.py')).toEqual(['pytest/__main__.py']);
    expect(added('python -m pytest', 'src/pytest.py')).toEqual([]);
    expect(added('./check.sh', 'check.sh')).toEqual(['check.sh']);
  });
});

describe('scripts that the gate runs', () => {
  const all = { test: 'a', lint: 'b', 'lint:css': 'c', build: 'd', prepare: 'e', pretest: 'f' };

  /** Names of scripts whose change is noticed. */
  function noticed(gate: string, file = 'package.json'): readonly string[] {
    return Object.keys(all).filter((name) => {
      const changed = { path: file, before: pkg(all), after: pkg({ ...all, [name]: 'exit 0' }) };
      const textOf = (): string => pkg(all);
      return gateChanges([changed], { gate: [gate], tests: 'guard' }, textOf).length > 0;
    });
  }

  it.each([
    ['npm test', ['test', 'pretest']],
    ['npm t', ['test', 'pretest']],
    ['npm run lint', ['lint']],
    ['npm run --silent lint -- --fix', ['lint']],
    ['npx npm-run-all lint:*', ['lint:css']],
    ['yarn lint', ['lint']],
    ['yarn run lint', ['lint']],
    ['pnpm run lint', ['lint']],
    ['bun run lint', ['lint']],
    ['bun test', []],
    ['npm ci', ['prepare']],
    ['node --run build', ['build']],
    ['npx vitest', []],
  ])('%s: %j', (gate, expected) => {
    expect(noticed(gate)).toEqual(expected);
  });

  it('looks at the packages that are meant', () => {
    expect(noticed('npm --prefix sub run lint', 'sub/package.json')).toEqual(['lint']);
    expect(noticed('npm --prefix sub run lint', 'package.json')).toEqual([]);
    expect(noticed('cd sub && npm run lint', 'sub/package.json')).toEqual(['lint']);
    expect(noticed('npm run lint --workspaces', 'packages/a/package.json')).toEqual(['lint']);
    expect(noticed('npm run lint', 'packages/a/package.json')).toEqual([]);
  });

  it('says what a script was and what it is, and not more of it than people read', () => {
    const before = pkg({ test: `vitest ${'x'.repeat(1_000)}` });
    const changed = { path: 'package.json', before, after: pkg({}) };
    const [violation] = gateChanges(
      [changed],
      { gate: ['npm test'], tests: 'guard' },
      () => before,
    );
    expect(violation).toMatchObject({
      what: expect.stringMatching(/^script "test" is gone, it was "vitest x+…"$/),
    });
  });

  it('takes a package file that is new for a change where there was none', () => {
    const changed = { path: 'package.json', after: pkg({ test: 'true' }) };
    const violations = gateChanges(
      [changed],
      { gate: ['npm test'], tests: 'guard' },
      () => undefined,
    );
    expect(files(violations)).toEqual(['package.json']);
  });
});

describe('commandsOf', () => {
  it('splits a line where a shell does', () => {
    const words = commandsOf('a "b c" && A=1 d \'e;f\' | g; (h \\i) # j').map((one) => one.words);
    expect(words).toEqual([['a', 'b c'], ['d', 'e;f'], ['g'], ['h', 'i']]);
  });

  it('reads any text without failing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => Array.isArray(commandsOf(text))),
    );
  });
});
