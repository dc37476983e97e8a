// The rules must be able to fail: each scanner meets text that breaks its rule and text that does not.
import { describe, expect, it } from 'vitest';
import { asideProblems, banProblems, bans, machinePathProblems, nameProblems } from './banned.ts';
import { linkProblems, titleProblems } from './documents.ts';
import { duplicateProblems } from './duplicates.ts';
import { expectNone, lineAt, type TextFile } from './files.ts';
import {
  deadExportProblems,
  deadFileProblems,
  directionProblems,
  importsOf,
  isPure,
  parseTable,
  rowOf,
} from './imports.ts';
import { mask } from './mask.ts';

const file = (path: string, text: string): TextFile => ({ path, text });

/** Lines that a ban reports for one file. */
const linesOf = (name: keyof typeof bans, path: string, text: string): number[] =>
  banProblems(bans[name], [file(path, text)]).map(({ line }) => line);

describe('mask', () => {
  it.each([
    ['a line comment', 'a // b', 'a     ', '  // b'],
    ['a block comment over lines', 'a /* b\nc */ d', 'a     \n     d', '  /* b\nc */  '],
    [
      'a string with an escaped quote',
      String.raw`a('it\'s') // b`,
      "a('     ')     ",
      '           // b',
    ],
    ['a comment mark inside a string', "'//' + b", "'  ' + b", '        '],
    ['a pattern that holds quotes', 'x = /[\'"/]/; y', 'x = /     /; y', '              '],
    ['a division', 'a / b / c // d', 'a / b / c     ', '          // d'],
  ])('splits %s', (_name, text, code, comments) => {
    expect(mask(text)).toEqual({ code, comments });
  });

  it('keeps code inside template holes and blanks the text around them', () => {
    const { code } = mask('`a // ${f({ b: `c ${d}` })} e` + g // h');
    expect(code).toBe('`     ${f({ b: `  ${d}` })}  ` + g     ');
  });
});

describe('imports', () => {
  const table = parseTable(`
    model | pure  |            |               |
    plan  | pure  | model      | small-package node:path |
    git   | shell | model      |               | names
    wire  | shell | *          |               |
    cli   | shell | wire       |               |
    main  | shell | cli        |               |
  `);
  const says = (path: string, text: string): string[] =>
    directionProblems(file(path, text), table).map(({ line, say }) => `${line} ${say}`);

  it('finds every form of import with its line', () => {
    const text = [
      "import a from './a.ts';",
      "import {\n  b,\n} from './b.ts';",
      "import './c.ts';",
      "export * from './d.ts';",
      "const e = await import('./e.ts');",
      "// import f from './f.ts';",
      'const g = "import g from \'./g.ts\'";',
    ].join('\n');
    expect(importsOf(file('src/x.ts', text))).toEqual([
      { specifier: './a.ts', line: 1 },
      { specifier: './b.ts', line: 4 },
      { specifier: './c.ts', line: 5 },
      { specifier: './d.ts', line: 6 },
      { specifier: './e.ts', line: 7 },
    ]);
  });

  it('finds the row of a folder, and its pure files', () => {
    expect(rowOf('src/git/worktree/x.ts', table)?.name).toBe('git');
    expect(rowOf('src/gitter/x.ts', table)).toBeUndefined();
    expect(isPure('src/plan/fold.ts', table)).toBe(true);
    expect(isPure('src/git/names.ts', table)).toBe(true);
    expect(isPure('src/git/cli.ts', table)).toBe(false);
  });

  it('allows what the row names', () => {
    expect(says('src/plan/fold.ts', "import '../model/task.ts';\nimport './limits.ts';")).toEqual(
      [],
    );
    expect(says('src/plan/fold.ts', "import 'small-package/part';")).toEqual([]);
    expect(says('src/plan/fold.ts', "import 'node:path';")).toEqual([]);
    expect(says('src/git/cli.ts', "import 'node:fs';\nimport './names.ts';")).toEqual([]);
    expect(says('src/wire/run.ts', "import '../git/cli.ts';")).toEqual([]);
  });

  it.each([
    [
      'another folder',
      'src/model/task.ts',
      "import '../plan/fold.ts';",
      '1 imports src/plan/fold.ts',
    ],
    ['a shell file in a pure one', 'src/git/names.ts', "import './cli.ts';", '1 is pure and'],
    ['a row below', 'src/wire/run.ts', "\nimport '../cli/run.ts';", '2 imports src/cli/run.ts'],
    ['an entry', 'src/cli/run.ts', "import '../main.ts';", '1 imports src/main.ts, from which'],
    ['Node in pure code', 'src/plan/fold.ts', "import 'node:fs';", '1 is pure and imports node:fs'],
    ['a package', 'src/cli/run.ts', "import '@a/b/c';", '1 imports the package @a/b;'],
    [
      'tests',
      'src/cli/run.ts',
      "import '../../test/rig.ts';",
      '1 imports test/rig.ts, which is outside',
    ],
    ['anything without a row', 'src/new/x.ts', '', '1 is in no row'],
  ])('refuses %s', (_name, path, text, expected) => {
    expect(says(path, text)).toEqual([expect.stringContaining(expected)]);
  });

  it('refuses a table whose kind it does not know', () => {
    expect(() => parseTable('model | clean | . |')).toThrow('is neither pure nor shell');
  });

  it('refuses a table in which two folders depend on each other', () => {
    const both = 'train | pure | plan | |\nplan | pure | train | |';
    expect(() => parseTable(both)).toThrow('"train" may import only rows above it, not "plan"');
  });
});

describe('dead files', () => {
  const product = [
    file('src/main.ts', "import './cli/run.ts';"),
    file('src/cli/run.ts', "const x = await import('../git/cli.ts');"),
    file('src/git/cli.ts', ''),
  ];

  it('follows static and dynamic imports', () => {
    expect(deadFileProblems(product)).toEqual([]);
  });

  it('finds a file that only a test imports', () => {
    const files = [
      ...product,
      file('src/git/old.ts', ''),
      file('src/git/old.test.ts', "import './old.ts';"),
    ];
    expect(deadFileProblems(files).map((problem) => problem.file)).toEqual(['src/git/old.ts']);
  });

  it('accepts a file of TEST_ONLY only when a test uses it', () => {
    const twin = file('src/files/schemas.ts', '');
    expect(deadFileProblems([...product, twin])).toHaveLength(1);
    const test = file('test/git.test.ts', "import '../src/files/schemas.ts';");
    expect(deadFileProblems([...product, twin, test])).toEqual([]);
  });
});

describe('dead exports', () => {
  it('finds a name that no other file mentions', () => {
    const files = [
      file('src/git/cli.ts', 'export function used() {}\nexport const unused = 1;'),
      file('src/main.ts', 'used();'),
    ];
    expect(deadExportProblems(files)).toEqual([
      { file: 'src/git/cli.ts', line: 2, say: expect.stringContaining('unused') },
    ]);
  });
});

describe('duplicates', () => {
  const lines = (from: number): string =>
    Array.from({ length: 8 }, (_, at) => `step(${from + at});\n`).join('');

  it('finds a run of eight lines that stands twice, and not one of seven', () => {
    const a = file('src/a.ts', `import x from 'x';\n\n${lines(1)}`);
    expect(duplicateProblems([a, file('src/b.ts', `// b\n${lines(1)}`)])).toEqual([
      { file: 'src/b.ts', line: 2, say: expect.stringContaining('src/a.ts:3') },
    ]);
    expect(duplicateProblems([a, file('src/b.ts', lines(2))])).toEqual([]);
  });
});

describe('bans', () => {
  it.each([
    'let a: any;',
    'a as any;',
    'let a: any[];',
    'let a: Map<string, any>;',
    'type A = any;',
    'let a: B | any;',
    'type F = () => any;',
  ])('finds any in "%s"', (text) => {
    expect(linesOf('any', 'src/a.ts', text)).toEqual([1]);
  });

  it.each([
    'list.any(x)',
    'const any = 1',
    "let a: 'any';",
    '// any: of them',
    'if (a < any && b > c) d();',
    'expect.any(Number)',
  ])('does not find any in "%s"', (text) => {
    expect(linesOf('any', 'src/a.ts', text)).toEqual([]);
  });

  it('finds a catch that ignores its error', () => {
    expect(linesOf('bareCatch', 'src/a.ts', 'try {\n} catch {\n}')).toEqual([2]);
    expect(linesOf('bareCatch', 'src/a.ts', 'try {\n} catch (error) {\n}')).toEqual([]);
  });

  it('finds unfinished work in comments only', () => {
    expect(linesOf('unfinished', 'src/a.ts', 'a;\n// TODO: b')).toEqual([2]);
    expect(linesOf('unfinished', 'src/a.ts', "const a = 'TODO';")).toEqual([]);
  });

  it.each([
    ['console', 'src/plan/a.ts', 'console.log(1)', 'src/cli/a.ts'],
    ['exit', 'src/cli/a.ts', 'process.exit(1)', 'src/main.ts'],
    ['exit', 'src/engine/a.ts', 'process.exit(1)', 'src/agent/scripted/main.ts'],
    ['childProcess', 'src/git/a.ts', "import 'node:child_process'", 'src/process/a.ts'],
    ['impure', 'src/plan/a.ts', 'Date.now()', 'src/engine/a.ts'],
    ['useCase', 'src/app/a.ts', 'process.env.HOME', 'src/wire/a.ts'],
    ['impure', 'src/report/a.ts', 'new Date()', 'src/cli/a.ts'],
    ['impure', 'src/train/queue.ts', 'Math.random()', 'src/git/cli.ts'],
    ['impure', 'src/model/a.ts', 'performance.now()', 'src/model/a.test.ts'],
  ] as const)('finds %s in %s: %s, and allows it in %s', (name, path, text, allowed) => {
    expect(linesOf(name, path, text)).toEqual([1]);
    expect(linesOf(name, allowed, text)).toEqual([]);
  });

  it('lets pure code make a date from a value', () => {
    expect(linesOf('impure', 'src/report/a.ts', 'new Date(at).toISOString()')).toEqual([]);
  });

  it.each(['issue 2', 'see #12', 'INV-07', 'row D-15', 'step 3.1', 'Phase 2', '§5', 'task 6.4'])(
    'finds the citation "%s"',
    (words) => {
      expect(linesOf('planNumber', 'src/a.ts', `a;\n// As ${words} says.`)).toEqual([2]);
    },
  );

  it.each(['UTF-8', 'SHA-256', 'one step at a time', 'exit code 3', 'git 2.38', 'a-1 before b-2'])(
    'does not take "%s" for a citation',
    (words) => {
      expect(linesOf('planNumber', 'src/a.ts', `// As ${words} says.`)).toEqual([]);
    },
  );

  it('wants a reason beside a test that is left out', () => {
    const aside = (text: string): number => asideProblems(file('test/a.test.ts', text)).length;
    expect(aside("it.skip('a', f);")).toBe(1);
    expect(aside("describe.only('a', f);")).toBe(1);
    expect(aside("it.skipIf(b)('a', f);")).toBe(1);
    expect(aside("it.skip('a', f); // reason: needs a network")).toBe(0);
    expect(aside("// reason: needs a network\nit.skip('a', f);")).toBe(0);
  });

  it.each(['src/utils/a.ts', 'src/git/helpers.ts', 'src/session-manager.ts', 'src/model/types.ts'])(
    'refuses the name %s',
    (path) => {
      expect(nameProblems(path)).toHaveLength(1);
    },
  );

  it.each(['src/model/task.ts', 'test/tidy/files.ts', 'src/git/commonly.ts'])(
    'accepts the name %s',
    (path) => {
      expect(nameProblems(path)).toEqual([]);
    },
  );

  it('finds the path of one machine', () => {
    const holds = (text: string): number => machinePathProblems(file('a.md', text)).length;
    expect(holds(`cd ${'/'}home/me/x`)).toBe(1);
    expect(holds(`"${'/'}work/x"`)).toBe(1);
    expect(holds('src/root/x and https://example.org/home/x')).toBe(0);
  });
});

describe('documents', () => {
  it('wants one title, in the first line', () => {
    const lines = (text: string): number[] =>
      titleProblems(file('a.md', text)).map(({ line }) => line);
    expect(lines('# A\n\n```sh\n# a comment\n```\n')).toEqual([]);
    expect(lines('\n# A\n')).toEqual([1]);
    expect(lines('A\n')).toEqual([1]);
    expect(lines('# A\n\n# B\n')).toEqual([3]);
  });

  it('finds links to files that do not exist', () => {
    const exists = (path: string): boolean => ['README.md', 'docs/b.md'].includes(path);
    const text =
      '# A\n[b](b.md#x) [up](../README.md) [web](https://example.org) [here](#x)\n[gone](c.md) `[no](d.md)`\n';
    expect(linkProblems(file('docs/a.md', text), exists)).toEqual([
      { file: 'docs/a.md', line: 3, say: expect.stringContaining('c.md') },
    ]);
  });
});

describe('reporting', () => {
  it('counts lines as an editor does', () => {
    expect([lineAt('a\nb', 0), lineAt('a\nb', 1), lineAt('a\nb', 2)]).toEqual([1, 1, 2]);
  });

  it('fails with every problem as file:line', () => {
    expect(() => expectNone([])).not.toThrow();
    expect(() => expectNone([{ file: 'src/a.ts', line: 3, say: 'is wrong; do it right' }])).toThrow(
      'src/a.ts:3  is wrong; do it right',
    );
  });
});
