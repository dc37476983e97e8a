// Yards whose work, or whose tasks, are looked at by somebody: who plays what, and what they were told.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Event } from '../../src/model/event.ts';
import {
  type Action,
  append,
  type Looks,
  print,
  type Script,
  scriptText,
  write,
  type Yard,
  type YardOptions,
  yard,
} from '../rig.ts';

export interface LookYardOptions extends YardOptions {
  /** What each of those who look plays, by the name of the profile: rounds of review, or what it does for each task. */
  readonly lookers: Readonly<Record<string, Looks | Script>>;
}

/** A yard with a profile for each looker. Who reviews and who finds fault says the config of the test. */
export function lookYard({ lookers, config, ...rest }: LookYardOptions): Yard {
  const script = (name: string): Readonly<Record<string, unknown>> => ({
    use: 'scripted',
    // From the repository's root; where the yard is, is not known before it is made.
    script: `../stage/${name}.json`,
  });
  const names = Object.keys(lookers);
  const agents = Object.fromEntries(names.map((name) => [name, script(name)]));
  const made = yard({
    ...rest,
    config: { agents: { actor: script('script'), ...agents }, ...config },
  });
  for (const name of names) play(made, name, lookers[name] ?? []);
  return made;
}

/** One task whose agent adds a line in every turn, and one reviewer. */
export function reviewed(
  reviews: LookYardOptions['lookers'][string],
  more: Partial<LookYardOptions> = {},
  review: Readonly<Record<string, unknown>> = {},
): Yard {
  const { config, ...rest } = more;
  return lookYard({
    tasks: [{ id: 'a', title: 'Say hello', body: 'Say hello in a.txt.' }],
    script: {
      a: [[write('a.txt', 'one\n')], [append('a.txt', 'two\n')], [append('a.txt', 'three\n')]],
    },
    lookers: { reader: reviews },
    config: { review: { agent: 'reader', ...review }, ...config },
    ...rest,
  });
}

export const noTwo = 'no-two major a.txt:1 There is no second line.';
export const noThree = 'no-three blocker a.txt There is no third line.';

/** A person approves of everything that waits, and the run goes on to its end. */
export async function approveAll(y: Yard, ...ids: readonly string[]): Promise<void> {
  expect(await y.ym('approve', ...ids)).toMatchObject({ code: 0, stderr: '' });
  expect(await y.ym('resume')).toMatchObject({ code: 0, stderr: '' });
  for (const id of ids) expect({ id, landings: y.landings()[id] }).toEqual({ id, landings: 1 });
  expect(y.reflogGreen()).toMatchObject({ red: [] });
}

/** Has a looker play something else from now on. */
export function play(y: Yard, name: string, given: Looks | Script): void {
  const script = isLooks(given) ? { default: { reviews: given } } : given;
  writeFileSync(join(y.stage, `${name}.json`), scriptText(script));
}

const isLooks = (given: Looks | Script): given is Looks => Array.isArray(given);

export const approves: Action = print('VERDICT: APPROVED');

/** A list of findings, such as `no-test major a.txt Nothing tests it.`, and the verdict that goes with them. */
export function wants(...findings: readonly string[]): readonly Action[] {
  return [
    ...findings.map((finding) => print(`FINDING ${finding}`)),
    print('VERDICT: NEEDS_CHANGES'),
  ];
}

/** Notes each start of whoever plays it. */
export const noted: Action = { run: { shell: 'echo started >> "$YARD_SCRIPT_DIR/starts"' } };

/** How many starts were noted. */
export function notes(y: Yard): number {
  if (!y.isSeen('starts')) return 0;
  return readFileSync(join(y.stage, 'starts'), 'utf8').trim().split('\n').length;
}

function attemptDir(y: Yard, task: string, attempt = 1): string {
  const runs = join(y.root, '.yardmaster', 'runs');
  const found = readdirSync(runs)
    .map((run) => join(runs, run, 'attempts', `${task}-${attempt}`))
    .find((dir) => existsSync(dir));
  if (found === undefined) throw new Error(`There is no attempt ${attempt} of ${task}`);
  return found;
}

/** The names of an attempt's files that match, in order. */
export function filesOf(y: Yard, task: string, pattern: RegExp): readonly string[] {
  return readdirSync(attemptDir(y, task))
    .filter((name) => pattern.test(name))
    .sort();
}

export function fileOf(y: Yard, task: string, name: string): string {
  return readFileSync(join(attemptDir(y, task), name), 'utf8');
}

/** What was told, such as to `turn-1` or `review-2-reader`. */
export function promptOf(y: Yard, task: string, name: string): string {
  return fileOf(y, task, `${name}.prompt.md`);
}

/** The part of a prompt below a heading, up to the next one. */
export function partOf(prompt: string, heading: string): string {
  const [, rest = ''] = prompt.split(`# ${heading}\n`);
  return rest.split('\n# ')[0] ?? '';
}

export async function eventsOf<Type extends Event['type']>(
  y: Yard,
  type: Type,
): Promise<readonly Extract<Event, { type: Type }>[]> {
  return (await y.events()).filter(
    (event): event is Extract<Event, { type: Type }> => event.type === type,
  );
}

/** Every start of an agent, in order: `a turn 1`, `a review 1 reader`, `a critique 1`. */
export async function startsOf(y: Yard): Promise<readonly string[]> {
  return (await y.events()).flatMap((event) => {
    switch (event.type) {
      case 'turn-started':
        return [`${event.id} turn ${event.turn}`];
      case 'review-started':
        return [`${event.id} review ${event.round} ${event.reviewer}`];
      case 'critique-started':
        return [`${event.id} ${event.step} ${event.round}`];
      default:
        return [];
    }
  });
}
