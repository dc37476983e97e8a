// The branches of a corpus: pairs that are green alone and red together, some that are red by themselves, and good ones.

import { seed } from '../../rig/seed.ts';
import type { Action, PlanTask, Script, Turns } from '../../rig.ts';
import {
  areas,
  type Files,
  feature,
  migration,
  page,
  receipt,
  renderer,
  room,
  snapshot,
  sums,
} from './project.ts';

export interface Corpus {
  readonly tasks: readonly PlanTask[];
  readonly script: Script;
  /** How many of the branches cannot land as they were first made, whatever the order. */
  readonly bad: number;
  /** Of each of these sets of tasks, exactly one never lands. */
  readonly hopeless: readonly (readonly string[])[];
  /** Of each kind of planted conflict, this many; as many families does the project need. */
  readonly families: number;
}

export interface Mixture {
  /** Pairs of each kind. */
  readonly pairs: number;
  /** Kinds of pairs; all four unless this says otherwise. */
  readonly pairKinds?: number;
  /** Of each kind, pairs of which the second to come is never fixed. */
  readonly hopelessPairs: number;
  /** Branches that are red by themselves, and how many of them stay so. */
  readonly broken: number;
  readonly hopelessBroken: number;
  readonly branches: number;
}

const writes = (files: Files): Action[] =>
  Object.entries(files).map(([path, text]) => ({ write: { path, text } }));
const shell = (line: string): Action => ({ run: { shell: line } });
const merge: Action = { mergeTarget: { branch: 'main' } };

/** Rewrites what the other side has made, and says so: a fixing that takes the target's lines away has to name them. */
const fixesBy = (files: Files): readonly Action[] => {
  const trailers = Object.keys(files).map((path) => `Yard-Dropped: ${path}`);
  const message = `Follow the target\n\n${trailers.join('\n')}`;
  return [merge, ...writes(files), { commit: { message } }];
};

/** One side of a pair: what it makes, and how it is fixed when the other side came first. */
interface Side {
  readonly id: string;
  readonly makes: readonly Action[];
  readonly fixes: readonly Action[];
  /** Tests that it is there to reword; without a word in the task that would count as weakening them. */
  readonly paths?: readonly string[];
}

type Pair = (k: number) => readonly [Side, Side];

const renameAgainstCaller: Pair = (k) => {
  const fixes = fixesBy(receipt(k, 'sum'));
  return [
    { id: `rename-${k}`, makes: writes(sums(k, 'sum')), fixes },
    { id: `caller-${k}`, makes: writes(receipt(k)), fixes },
  ];
};

const changedSignature: Pair = (k) => {
  const fixes = fixesBy(room(k, 'new'));
  return [
    {
      id: `signature-${k}`,
      makes: writes(areas(k, 'new')),
      fixes,
      paths: [`test/areas${k}.test.mjs`],
    },
    { id: `room-${k}`, makes: writes(room(k)), fixes },
  ];
};

const snapshotDrift: Pair = (k) => {
  const restyled = {
    [`src/pages/${k}/render.mjs`]: renderer('fancy'),
    ...snapshot(k, 'home', 'fancy'),
  };
  const fixes = fixesBy(page(k, 'news', 'fancy'));
  return [
    { id: `restyle-${k}`, makes: writes(restyled), fixes },
    { id: `page-${k}`, makes: writes(page(k, 'news', 'plain')), fixes },
  ];
};

const sameNumber: Pair = (k) => {
  const side = (name: string): Side => ({
    id: `${name}-${k}`,
    makes: writes(migration(k, 2, name)),
    fixes: [merge, shell(`git mv db/${k}/002-${name}.sql db/${k}/003-${name}.sql`)],
  });
  return [side('orders'), side('users')];
};

const kinds: readonly Pair[] = [renameAgainstCaller, changedSignature, snapshotDrift, sameNumber];

/** Makes a corpus; the order of its branches looks like chance and is always the same. */
export function corpusOf(mixture: Mixture): Corpus {
  const { pairs, pairKinds, hopelessPairs, broken, hopelessBroken, branches } = mixture;
  const used = kinds.slice(0, pairKinds);
  const script: Record<string, Turns> = {};
  const hopeless: string[][] = [];
  const named = new Map<string, readonly string[]>();
  const play = ({ id, makes, fixes, paths }: Side, isHopeless: boolean): void => {
    if (paths !== undefined) named.set(id, paths);
    script[id] = isHopeless ? [makes] : [makes, fixes];
  };
  for (let k = 0; k < pairs; k += 1) {
    for (const kind of used) {
      const sides = kind(k);
      for (const side of sides) play(side, k < hopelessPairs);
      if (k < hopelessPairs) hopeless.push(sides.map(({ id }) => id));
    }
  }
  for (let n = 0; n < broken; n += 1) {
    const id = `broken-${n}`;
    const side = { id, makes: writes(feature(id, 'something else')), fixes: writes(feature(id)) };
    play(side, n < hopelessBroken);
    if (n < hopelessBroken) hopeless.push([id]);
  }
  for (let n = 0; Object.keys(script).length < branches; n += 1) {
    const id = `good-${n}`;
    play({ id, makes: writes(feature(id)), fixes: [] }, true);
  }
  const tasks = shuffled(Object.keys(script)).map((id) => ({ id, paths: named.get(id) ?? [] }));
  return { tasks, script, bad: pairs * used.length + broken, hopeless, families: pairs };
}

function shuffled(ids: readonly string[]): readonly string[] {
  const { random } = seed('4711');
  const left = [...ids];
  return ids.map(() => left.splice(random(left.length), 1)[0] ?? '');
}
