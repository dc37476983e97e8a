// Programs that the page starts, as real processes.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/process/system-clock.ts';
import { startProgram } from '../../src/wire/web.ts';
import { tempFolder } from '../rig/temp-folder.ts';

describe('a program that the page starts', () => {
  let dir: string;
  let program: string;

  beforeEach(() => {
    dir = tempFolder();
    program = join(dir, 'program.cjs');
    writeFileSync(
      program,
      "console.log('It printed this.'); process.exitCode = Number(process.argv[2]);\n",
    );
  });

  const start = (status: number) =>
    startProgram(
      { dir, root: dir, env: { PATH: process.env.PATH ?? '' }, clock: systemClock() },
      [String(status)],
      { actor: { through: 'ui' }, program },
    );

  it.each([0, 1, 4, 5])('has started if it ends with the result %i of a run', async (status) => {
    const started = await start(status);
    expect(started).toMatchObject({ ok: true });
    const output = started.ok ? started.value.output : '';
    expect(readFileSync(output, 'utf8')).toBe('It printed this.\n');
  });

  it.each([2, 3, 70])('is refused with its last line if it ends with %i', async (status) => {
    expect(await start(status)).toMatchObject({
      ok: false,
      failure: { problem: `\`ym ${status}\` ended at once: It printed this.` },
    });
  });
});
