// What the documents say about the library is what it has.

import { readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { commandNamed } from '../../src/cli/commands.ts';
import { openYard } from '../../src/library/index.ts';
import { namedIn } from '../rig/documents.ts';
import { need } from '../rig/need.ts';
import { testProject } from '../rig.ts';

const textOf = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

describe('docs/programs.md', () => {
  const methods = namedIn(textOf('docs/programs.md'), 'Methods');

  it('lists every method once, and no other', async () => {
    const y = testProject({});
    const { PATH } = process.env;
    const yard = need(
      await openYard(y.root, {
        env: { PATH, HOME: y.home, YARDMASTER_STATE_DIR: y.state },
      }),
    );
    onTestFinished(() => yard.close());
    const own = Object.keys(yard).filter((name) => name !== 'root' && name !== 'close');
    expect([...methods].sort()).toEqual(own.sort());
  });

  it('lists methods that have the name of a command', () => {
    expect(methods.filter((name) => commandNamed(name) === undefined)).toEqual([]);
  });

  it('has an example that names only public imports', () => {
    const example = textOf('examples/land-a-task.mjs');
    const imports = [...example.matchAll(/(?:from|import\() ?'([^']+)'/g)].map(([, name]) => name);
    expect(new Set(imports)).toEqual(new Set(['yardmaster']));
  });
});
