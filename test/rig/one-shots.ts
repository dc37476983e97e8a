// Yards whose work, or whose tasks, are looked at by somebody: who plays what, and what they were told.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Event } from '../../src/model/event.ts';
import {
  type Action,
  append,
  type OneShots,
  print,
  type Script,
  scriptText,
  type TestProject,
  type TestProjectOptions,
  testProject,
  write,
} from '../rig.ts';
import { need } from './need.ts';

export interface OneShotProjectOptions extends TestProjectOptions {
  /** What each of those who look plays, by the name of the profile: rounds of review, or what it does for each task. */
  readonly oneShotAgents: Readonly<Record<string, OneShots | Script>>;
}

/** A project with a profile for each looker. Who reviews and who finds fault says the config of the test. */
export function oneShotProject({
  oneShotAgents,
  config,
  ...rest
}: OneShotProjectOptions): TestProject {
  const script = (name: string): Readonly<Record<string, unknown>> => ({
    use: 'scripted',
    // From the repository's root; where the project is, is not known before it is made.
    script: `../stage/${name}.json`,
  });
  const names = Object.keys(oneShotAgents);
  const agents = Object.fromEntries(names.map((name) => [name, script(name)]));
  const made = testProject({
    ...rest,
    config: { agents: { actor: script('script'), ...agents }, ...config },
  });
  for (const name of names) play(made, name, oneShotAgents[name] ?? []);
  return made;
}

/** One task whose agent adds a line in every turn, and one reviewer. */
export function reviewed(
  reviews: OneShotProjectOptions['oneShotAgents'][string],
  more: Partial<OneShotProjectOptions> = {},
  review: Readonly<Record<string, unknown>> = {},
): TestProject {
  const { config, ...rest } = more;
  return oneShotProject({
    tasks: [{ id: 'a', title: 'Say hello', body: 'Say hello in a.txt.' }],
    script: {
      a: [[write('a.txt', 'one\n')], [append('a.txt', 'two\n')], [append('a.txt', 'three\n')]],
    },
    oneShotAgents: { reader: reviews },
    config: { review: { agent: 'reader', ...review }, ...config },
    ...rest,
  });
}

export const noTwo = 'no-two major a.txt:1 There is no second line.';
export const noThree = 'no-three blocker a.txt There is no third line.';

/** A person approves of everything that waits, and the run goes on to its end. */
export async function approveAll(y: TestProject, ...ids: readonly string[]): Promise<void> {
  expect(await y.ym('approve', ...ids)).toMatchObject({ code: 0, stderr: '' });
  expect(await y.ym('resume')).toMatchObject({ code: 0, stderr: '' });
  for (const id of ids) expect({ id, landings: y.landings()[id] }).toEqual({ id, landings: 1 });
  expect(y.reflogGreen()).toMatchObject({ red: [] });
}

/** Has a looker play something else from now on. */
export function play(y: TestProject, name: string, given: OneShots | Script): void {
  const script = isLooks(given) ? { default: { reviews: given } } : given;
  writeFileSync(join(y.stage, `${name}.json`), scriptText(script));
}

const isLooks = (given: OneShots | Script): given is OneShots => Array.isArray(given);

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
export function notes(y: TestProject): number {
  if (!y.isSeen('starts')) return 0;
  return readFileSync(join(y.stage, 'starts'), 'utf8').trim().split('\n').length;
}

function attemptDir(y: TestProject, task: string, attempt = 1): string {
  const runs = join(y.root, '.git', 'yardmaster', 'runs');
  const found = need(
    readdirSync(runs)
      .map((run) => join(runs, run, 'attempts', `${task}-${attempt}`))
      .find((dir) => existsSync(dir)),
  );
  return found;
}

/** The names of an attempt's files that match, in order. */
export function filesOf(y: TestProject, task: string, pattern: RegExp): readonly string[] {
  return readdirSync(attemptDir(y, task))
    .filter((name) => pattern.test(name))
    .sort();
}

export function fileOf(y: TestProject, task: string, name: string): string {
  return readFileSync(join(attemptDir(y, task), name), 'utf8');
}

/** What was told, such as to `turn-1` or `review-2-reader`. */
export function promptOf(y: TestProject, task: string, name: string): string {
  return fileOf(y, task, `${name}.prompt.md`);
}

/** The part of a prompt below a heading, up to the next one. */
export function partOf(prompt: string, heading: string): string {
  const [, rest = ''] = prompt.split(`# ${heading}\n`);
  return rest.split('\n# ')[0] ?? '';
}

export async function eventsOf<Type extends Event['type']>(
  y: TestProject,
  type: Type,
): Promise<readonly Extract<Event, { type: Type }>[]> {
  return (await y.events()).filter(
    (event): event is Extract<Event, { type: Type }> => event.type === type,
  );
}

/** Every start of an agent, in order: `a turn 1`, `a review 1 reader`, `a critique 1`. */
export async function startsOf(y: TestProject): Promise<readonly string[]> {
  return (await y.events()).flatMap((event) => {
    switch (event.type) {
      case 'turn-started':
        return [`${event.id} turn ${event.turn}`];
      case 'call-started': {
        const { kind, round, agent } = event.call;
        return [`${event.id} ${kind} ${round}${kind === 'review' ? ` ${agent}` : ''}`];
      }
      default:
        return [];
    }
  });
}
