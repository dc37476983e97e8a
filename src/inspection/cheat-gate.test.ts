import { describe, expect, it } from 'vitest';
import type { Violation } from '../model/violation.ts';
import type { ChangedText, Rules } from './changed.ts';
import { violationsOf } from './inspect.ts';

const rules: Rules = {
  protect: ['.github/**', 'package-lock.json', '*.yaml'],
  gate: ['npm test', 'sh check.sh'],
  tests: 'guard',
};
const anyTask = { paths: ['src/**'], scope: 'predicted' } as const;
const scripts = (all: Record<string, string>): string =>
  JSON.stringify({ name: 'x', scripts: all });

type Kind = Violation['kind'];

/** Description, change, and the violation that must be reported first of its kind. */
const cheats: readonly (readonly [string, readonly ChangedText[], Kind, RegExp])[] = [
  [
    'puts a shim in place of the tests',
    [
      {
        path: 'package.json',
        before: scripts({ test: 'vitest run' }),
        after: scripts({ test: 'exit 0' }),
      },
    ],
    'gate-changed',
    /"vitest run", now "exit 0"/,
  ],
  [
    'puts a shim behind a script',
    [
      {
        path: 'package.json',
        before: scripts({ test: 'npm run unit', unit: 'vitest' }),
        after: scripts({ test: 'npm run unit', unit: 'true' }),
      },
    ],
    'gate-changed',
    /script "unit"/,
  ],
  [
    'runs something before the tests',
    [
      {
        path: 'package.json',
        before: scripts({ test: 'vitest' }),
        after: scripts({ test: 'vitest', pretest: 'rm -r test' }),
      },
    ],
    'gate-changed',
    /"pretest" is new/,
  ],
  [
    'breaks the package file',
    [{ path: 'package.json', before: scripts({ test: 'vitest' }), after: '{' }],
    'gate-changed',
    /no longer a valid package.json/,
  ],
  [
    'writes the check again',
    [{ path: 'check.sh', before: 'npm run lint\n', after: 'exit 0\n' }],
    'gate-changed',
    /- npm run lint \+ exit 0/,
  ],
  [
    'takes the check away',
    [{ path: 'check.sh', before: 'npm run lint\n' }],
    'gate-changed',
    /gone/,
  ],
  [
    'makes the check something else',
    [
      {
        path: 'check.sh',
        before: 'npm run lint\n',
        after: 'npm run lint\n',
        modeBefore: '100755',
        mode: '100644',
      },
    ],
    'gate-changed',
    /check\.sh/,
  ],
  [
    'runs scripts with another shell',
    [{ path: '.npmrc', after: 'script-shell=/bin/true\n' }],
    'gate-changed',
    /script-shell/,
  ],
  [
    'brings its own runner',
    [{ path: 'node_modules/.bin/vitest', after: '#!/bin/sh\nexit 0\n' }],
    'gate-changed',
    /would replace an installed package/,
  ],
  [
    'edits the gate config',
    [{ path: 'yardmaster.yaml', before: 'a', after: 'b' }],
    'protected-path',
    /yardmaster/,
  ],
  [
    'edits CI',
    [{ path: '.github/workflows/ci.yml', before: 'a', after: 'b' }],
    'protected-path',
    /ci\.yml/,
  ],
  ['deletes CI', [{ path: '.github/workflows/ci.yml', before: 'a' }], 'protected-path', /ci\.yml/],
  ['adds CI', [{ path: '.github/workflows/new.yml', after: 'a' }], 'protected-path', /new\.yml/],
  [
    'commits what it installed',
    [{ path: 'web/node_modules/a/node_modules/b.js', after: '' }],
    'packages-committed',
    /"web\/node_modules"/,
  ],
  ['plants a repository', [{ path: 'vendor/x', mode: '160000' }], 'nested-repository', /vendor/],
];

describe('cheats on the gate and on paths', () => {
  it.each(cheats)('names whoever %s', (_what, changed, kind, words) => {
    const found = violationsOf(anyTask, changed, rules);
    const named = found.filter((violation) => violation.kind === kind);
    expect(found.map((violation) => violation.kind)).toContain(kind);
    expect(JSON.stringify(named).replace(/\\"/g, '"')).toMatch(words);
  });
});
