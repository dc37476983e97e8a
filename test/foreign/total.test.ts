// Whatever the files hold, every converter returns a run, and every view draws it.
import { describe, expect, it } from 'vitest';
import { type BoiTables, boiRun, boiTables } from '../../src/foreign/boi.ts';
import { hewRun } from '../../src/foreign/hew.ts';
import { oompaRun } from '../../src/foreign/oompa.ts';
import type { ForeignFile } from '../../src/foreign/record.ts';
import { type ForeignRun, foreignOutcomes } from '../../src/model/foreign-run.ts';
import { foreignDrawing } from '../../src/report/foreign/drawing.ts';
import { foreignSummary } from '../../src/report/foreign/summary.ts';
import { foreignText } from '../../src/report/foreign/text.ts';
import { plain } from '../../src/report/format/style.ts';
import { render } from '../../src/report/graph/render.ts';
import { type Seed, seed } from '../rig/seed.ts';
import {
  boiFirst,
  filesOf,
  hewOld,
  hewParallel,
  hewSerial,
  oompaOld,
  oompaRunFiles,
} from './samples.ts';

const worlds = 300;
const odd: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  1.5,
  1e308,
  '',
  ' ',
  '\u0000',
  '__proto__',
  'x'.repeat(300),
  '2026-13-45T99:99:99Z',
  '2026-05-30T12:00:00Z',
  '0001-01-01T00:00:00Z',
  [],
  ['a'],
  [null],
  {},
  { kind: 'passed' },
  9_007_199_254_740_991,
];

function anyOf<T>(chance: Seed, values: readonly T[]): T {
  const value = values[chance.random(values.length)];
  if (value === undefined) throw new Error('an empty list has no member');
  return value;
}

/** The value with one part of it replaced by an odd one or removed. */
function mutated(chance: Seed, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || chance.random(6) === 0)
    return anyOf(chance, odd);
  const entries = Object.entries(value);
  if (entries.length === 0) return anyOf(chance, odd);
  const at = chance.random(entries.length);
  const changed = entries.flatMap(([key, inner], index) => {
    if (index !== at) return [[key, inner] as const];
    return chance.random(4) === 0 ? [] : [[key, mutated(chance, inner)] as const];
  });
  return Array.isArray(value) ? changed.map(([, inner]) => inner) : Object.fromEntries(changed);
}

function mutatedFiles(chance: Seed, files: readonly ForeignFile[]): ForeignFile[] {
  return files.flatMap(({ name, text }) => {
    switch (chance.random(6)) {
      case 0:
        return [];
      case 1:
        return [{ name, text: text.slice(0, chance.random(text.length + 1)) }];
      case 2:
        return [{ name: `worker-${chance.random(99)}/${name}`, text }];
      default:
        return [{ name, text: JSON.stringify(mutated(chance, JSON.parse(text)), undefined, 1) }];
    }
  });
}

/** Fails if a view of the run throws or a figure of it cannot be true. */
function check(run: ForeignRun, world: string): void {
  const summary = foreignSummary(run);
  const counted = Object.values(summary.outcomes).reduce((a, b) => a + b, 0);
  expect(counted, world).toBe(run.turns.length);
  for (const turn of run.turns) {
    expect(foreignOutcomes, world).toContain(turn.outcome);
    expect(turn.ms ?? 0, world).toBeGreaterThanOrEqual(0);
  }
  for (const { file, problem } of run.problems)
    expect(`${file} ${problem}`, world).toMatch(/\S \S/);
  expect(foreignText(summary, plain, 80).join('\n'), world).not.toMatch(/undefined|NaN|\[object/);
  expect(render(foreignDrawing(run), 'ascii', plain, 80), world).not.toBe('');
}

const samples = [
  ['hew', hewRun, [hewSerial, hewOld, hewParallel]],
  ['oompa', oompaRun, [oompaRunFiles, oompaOld]],
] as const;

describe('a converter is total', () => {
  it.each(samples)('%s', (_, convert, folders) => {
    const chance = seed();
    for (let world = 0; world < worlds; world += 1) {
      const files = mutatedFiles(
        chance,
        filesOf(anyOf<Readonly<Record<string, unknown>>>(chance, folders)),
      );
      check(convert('folder', files), `seed ${chance.value}, world ${world}`);
    }
  });

  it('boi', () => {
    const chance = seed();
    for (let world = 0; world < worlds; world += 1) {
      const tables = Object.fromEntries(
        boiTables.map((table) => [
          table,
          boiFirst[table].flatMap((row) => {
            const changed = mutated(chance, row);
            return typeof changed === 'object' && changed !== null ? [changed] : [];
          }),
        ]),
      ) as unknown as BoiTables;
      check(boiRun('boi.db', 'q-7', tables), `seed ${chance.value}, world ${world}`);
    }
  });
});
