// The in-memory twin and real git go through the same random steps and must never disagree.

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gitCli } from '../../src/git/cli.ts';
import { outcomeOf } from '../../src/model/trouble.ts';
import type { Git } from '../../src/port/git.ts';
import { startFiles } from '../conformance/git.ts';
import { MemoryGit } from '../memory/git.ts';
import { type TempRepo, tempRepo } from './temp-repo.ts';

const STEPS = 60;
const SEEDS = [1, 7, 42];
const slots = ['one', 'two'] as const;
const branches = ['yard/r/a-1', 'yard/r/b-1', 'yard/r/c-1'] as const;
const paths = ['a.txt', 'b.txt', 'deep/c.txt'] as const;

/** One side of the comparison, in which commits are known by numbers that both sides share. */
interface Side {
  readonly git: Git;
  readonly root: string;
  dirOf(slot: string): string;
  write(dir: string, path: string, content: string): void;
  remove(dir: string, path: string): void;
  read(dir: string, path: string): string | undefined;
  /** Refs of the remote and where they are. */
  remote(): string[];
  readonly commits: string[];
}

let repo: TempRepo;
let real: Side;
let twin: Side;

beforeEach(async () => {
  repo = tempRepo(startFiles);
  const hub = join(repo.base, 'hub.git');
  repo.git('init', '-q', '--bare', hub);
  repo.git('remote', 'add', 'origin', hub);
  real = {
    git: gitCli(repo.root),
    root: repo.root,
    dirOf: (slot) => join(repo.base, 'w', slot),
    write: (dir, path, content) => {
      mkdirSync(dirname(join(dir, path)), { recursive: true });
      writeFileSync(join(dir, path), content);
    },
    remove: (dir, path) => rmSync(join(dir, path), { force: true }),
    read: (dir, path) =>
      existsSync(join(dir, path)) ? readFileSync(join(dir, path), 'utf8') : undefined,
    remote: () =>
      repo
        .gitIn(hub, 'for-each-ref', '--format=%(refname) %(objectname)')
        .split('\n')
        .filter(Boolean),
    commits: [],
  };
  const memory = new MemoryGit({ files: startFiles, remotes: ['origin'] });
  twin = {
    git: memory,
    root: memory.root,
    dirOf: (slot) => `/w/${slot}`,
    write: (dir, path, content) => memory.write(dir, path, content),
    remove: (dir, path) => memory.remove(dir, path),
    read: (dir, path) => memory.read(dir, path),
    remote: () => [...memory.remote('origin')].map((each) => each.join(' ')),
    commits: [],
  };
  for (const side of [real, twin]) {
    await note(side, side.git.resolve('main'));
    for (const slot of slots) await seenOf(side.git.addWorktree(side.dirOf(slot), 'main'));
  }
});
afterEach(async () => {
  await real.git.close();
});

/** Remembers a commit that an answer brings, and returns its number. */
async function note(side: Side, asked: Promise<unknown>): Promise<unknown> {
  const answer = await outcomeOf(asked);
  if (!answer.ok) return answer.failure.kind;
  if (typeof answer.value !== 'string') return answer.value ?? 'nothing';
  const known = side.commits.indexOf(answer.value);
  if (known !== -1) return known;
  return side.commits.push(answer.value) - 1;
}

/** What a step brings, in the same form for both sides. */
async function seenOf(asked: Promise<unknown>): Promise<unknown> {
  const answer = await outcomeOf(asked);
  if (!answer.ok) return answer.failure.kind;
  const value = answer.value;
  if (typeof value !== 'object' || value === null || !('id' in value)) return value ?? 'done';
  return 'files' in value ? { id: value.id, files: value.files } : value.id;
}

/** Begins a merge, and resolves what is in conflict: how git marks the sides is nobody's concern here. */
async function begin(side: Side, slot: string, commit: string, text: string): Promise<unknown> {
  const dir = side.dirOf(slot);
  const begun = side.git.beginMerge(dir, commit);
  const merge = await outcomeOf(begun);
  const files = merge.ok && merge.value.id === 'conflict' ? merge.value.files : [];
  for (const path of files) side.write(dir, path, text);
  return seenOf(begun);
}

/** The line with the sums, as far as both sides count alike. */
async function sumOf(asked: Promise<string>): Promise<unknown> {
  const answer = await outcomeOf(asked);
  return answer.ok ? /\d+ files? changed/.exec(answer.value)?.[0] : answer.failure.kind;
}

type Step = (side: Side) => Promise<unknown>;

function stepOf(
  next: (below: number) => number,
  count: number,
  turn: number,
): { name: string; step: Step } {
  const pick = <T>(from: readonly T[]): T => from[next(from.length)] as T;
  const slot = pick(slots);
  const branch = pick(branches);
  const ref = `refs/heads/${branch}`;
  const path = pick(paths);
  const [one, two] = [next(count), next(count)];
  const content = `content ${next(4)}\n`;
  const at = (side: Side, n: number): string => side.commits[n] ?? 'none';
  const steps: Record<string, Step> = {
    write: async (side) => side.write(side.dirOf(slot), path, content),
    remove: async (side) => side.remove(side.dirOf(slot), path),
    writeMine: async (side) => side.write(side.root, path, content),
    undoMine: async (side) => side.write(side.root, path, startFiles[path] ?? ''),
    commit: (side) => note(side, side.git.commitAll(side.dirOf(slot), `turn ${turn}`)),
    point: (side) => seenOf(side.git.point(side.dirOf(slot), at(side, one), branch)),
    detach: (side) => seenOf(side.git.point(side.dirOf(slot), at(side, one))),
    move: (side) => seenOf(side.git.moveRefs([{ ref, from: at(side, one), to: at(side, two) }])),
    force: (side) =>
      seenOf(side.git.moveRefs([{ ref: 'refs/yard/keep/r/x-1', to: at(side, one) }])),
    delete: (side) => seenOf(side.git.moveRefs([{ ref, from: at(side, one) }])),
    merge: (side) => seenOf(side.git.merge(at(side, one), at(side, two))),
    forward: (side) => seenOf(side.git.fastForward(side.root, 'main', at(side, one))),
    ancestor: (side) => seenOf(side.git.isAncestor(at(side, one), at(side, two))),
    changed: (side) => seenOf(side.git.changes(at(side, one), at(side, two))),
    pick: (side) => seenOf(side.git.pick(at(side, one), at(side, two))),
    begin: (side) => begin(side, slot, at(side, one), `resolved ${turn}\n`),
    base: (side) => note(side, side.git.mergeBase(at(side, one), at(side, two))),
    file: (side) => seenOf(side.git.file(at(side, one), path)),
    stat: (side) => sumOf(side.git.stat(at(side, one), at(side, two))),
    push: (side) => seenOf(side.git.push('origin', [{ from: at(side, one), to: ref }])),
  };
  const name = pick(Object.keys(steps));
  return { name, step: steps[name] ?? (async () => 'no such step') };
}

/** All that can be seen from outside. */
async function view(side: Side): Promise<unknown> {
  const number = (commit: string): number => side.commits.indexOf(commit);
  const refs = await outcomeOf(side.git.refs('refs/'));
  const listed = refs.ok ? refs.value : [];
  const trees = await Promise.all(
    slots.map(async (slot) => {
      const dir = side.dirOf(slot);
      const status = await outcomeOf(side.git.status(dir));
      const files = paths.map((path) => side.read(dir, path));
      if (!status.ok) return { slot, failure: status.failure.kind };
      return { slot, ...status.value, head: number(status.value.head), files };
    }),
  );
  return {
    refs: listed
      .filter(({ ref }) => !ref.startsWith('refs/stash'))
      .map(({ ref, commit }) => `${ref} ${number(commit)}`)
      .sort(),
    trees,
    remote: side
      .remote()
      .map((line) => line.replace(/\S+$/, (commit) => String(number(commit))))
      .sort(),
    mine: paths.map((path) => side.read(side.root, path)),
  };
}

function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

describe('the in-memory twin', () => {
  for (const seed of SEEDS) {
    it(`agrees with git after each of ${STEPS} random steps (seed ${seed})`, async () => {
      const next = random(seed);
      const seen = new Set<string>();
      for (let count = 0; count < STEPS; count += 1) {
        const { name, step } = stepOf(next, real.commits.length, count);
        seen.add(name);
        const [expected, found] = [await step(real), await step(twin)];
        const where = { count, name };
        expect({ ...where, result: found }).toEqual({ ...where, result: expected });
        expect({ ...where, view: await view(twin) }).toEqual({ ...where, view: await view(real) });
      }
      expect(seen.size).toBeGreaterThan(10);
    });
  }
});
