import { createInterface } from 'node:readline/promises';
import {
  type AfterReview,
  afterReview,
  decideReviewed,
  itemsToReview,
  type PersonDecision,
  runToReview,
} from '../app/decide.ts';
import { type AttemptWork, workElsewhere, workOf } from '../app/diff.ts';
import type { Opened } from '../app/ports.ts';
import { fail, ok, type Result, unreachable } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { settled } from '../model/trouble.ts';
import { patchLines } from '../report/task/diff.ts';
import {
  choicesHelp,
  choicesText,
  choiceTyped,
  itemText,
  type ReviewChoice,
  reviewText,
} from '../report/task/review.ts';
import type { TaskNeed } from '../report/view/task.ts';
import { openPager, openShellAt } from '../wire/foreground.ts';
import { withStore } from './open.ts';
import { shownText } from './output.ts';
import type { Call } from './parse.ts';
import { type Screen, screenOf } from './screen.ts';

/**
 * Goes through everything that waits for a person, then continues the run. Without a terminal it prints the list, and
 * exits with status 1 if anything waits.
 */
export async function run(call: Call): Promise<number> {
  const decided: TaskNeed[] = [];
  const code = await withStore(call, 'write', async (opened) => {
    const found = await itemsToReview(opened);
    if (!found.ok) return found;
    const runs = await runToReview(opened);
    if (!runs.ok) return runs;
    const tasks = found.value;
    const items = [...runs.value, ...tasks];
    const screen = screenOf(call);
    const isAsked = call.options.flag('json') || call.options.flag('list');
    if (call.options.flag('json')) screen.json({ items });
    else if (isAsked || process.stdin.isTTY !== true || !screen.isTerminal || tasks.length === 0) {
      screen.lines(reviewText(items, screen.width));
    } else {
      if (runs.value.length > 0) screen.lines(reviewText(runs.value, screen.width));
      return walk(call, opened, tasks, decided);
    }
    return ok(items.length === 0 ? 0 : 1);
  });
  if (code !== 0 || decided.length === 0 || call.options.flag('no-run')) return code;
  return goOn(call, decided);
}

/** Asks about each item. Adds those to `decided` whose decision a run has to act on. */
async function walk(
  call: Call,
  opened: Opened,
  items: readonly TaskNeed[],
  decided: TaskNeed[],
): Promise<Result<number>> {
  const screen = screenOf(call);
  for (const [at, item] of items.entries()) {
    const { style, width } = screen;
    const count = style.dim(`${at + 1} of ${items.length}`);
    screen.lines(['', count, ...itemText(item, style, width)]);
    const done = await decideItem(call, opened, item, screen);
    if (!done.ok) return done;
    if (done.value === 'quit') break;
    if (done.value === 'decided') decided.push(item);
  }
  return ok(0);
}

type Outcome = 'decided' | 'left' | 'quit';

async function decideItem(
  call: Call,
  opened: Opened,
  item: TaskNeed,
  screen: Screen,
): Promise<Result<Outcome>> {
  for (;;) {
    const typed = await ask(`${choicesText(item)}: `);
    if (typed === undefined) return ok('quit');
    if (typed.trim() === '?') screen.lines(choicesHelp(item));
    const choice = choiceTyped(item, typed);
    if (choice === undefined) continue;
    const done = await settled(act(call, opened, item, choice, screen));
    if (!done.ok || done.value !== 'again') return done as Result<Outcome>;
  }
}

/** Carries out a choice. `again` means that the item is still undecided. */
async function act(
  call: Call,
  opened: Opened,
  item: TaskNeed,
  choice: ReviewChoice,
  screen: Screen,
): Promise<Result<Outcome | 'again'>> {
  switch (choice) {
    case 'next':
      return ok('left');
    case 'quit':
      return ok('quit');
    case 'diff':
    case 'shell':
      return look(opened, item, choice, screen);
    case 'pick': {
      const number = (await ask(`Which variant? (\`ym compare ${item.task}\` shows them) `)) ?? '';
      const picked = call.parse(['choose', item.task, number.trim(), ...inFolder(call)]);
      if (number.trim() === '') return ok('again');
      if (!picked.ok) return picked;
      const { run: choose } = await import('./choose.ts');
      return ok((await choose(picked.value)) === 0 ? 'decided' : 'again');
    }
    case 'merge': {
      const merged = call.parse(['resolve', item.task, ...inFolder(call)]);
      if (!merged.ok) return merged;
      const { run: resolve } = await import('./resolve.ts');
      return ok((await resolve(merged.value)) === 0 ? 'decided' : 'again');
    }
    case 'approve':
    case 'reject':
    case 'answer':
    case 'retry':
    case 'cancel':
    case 'skip': {
      const decision = await decisionOf(item, choice);
      if (decision === undefined) return ok('again');
      const stored = await decideReviewed(opened, item, decision);
      if (!stored.ok) return stored;
      if (stored.value === 'too-late') {
        screen.lines([`${item.task} no longer waits for you: ym why ${item.task}`]);
        return ok('left');
      }
      return ok(choice === 'cancel' || choice === 'skip' ? 'left' : 'decided');
    }
    default:
      return unreachable(choice);
  }
}

async function decisionOf(
  { kind }: TaskNeed,
  choice: 'approve' | 'reject' | 'answer' | 'retry' | 'cancel' | 'skip',
): Promise<PersonDecision | undefined> {
  if (choice === 'approve') return { kind: 'approve' };
  if (choice === 'retry') return { kind: kind === 'blocked' ? 'unblock' : 'retry' };
  const asked = {
    reject: 'What is wrong? ',
    answer: 'Your answer: ',
    cancel: 'Why? ',
    skip: 'Why? ',
  }[choice];
  const text = (await ask(asked))?.trim().slice(0, limits.bodyChars) ?? '';
  if (choice === 'cancel' || choice === 'skip') {
    return { kind: choice, reason: text || 'no reason was given' };
  }
  if (text === '') return undefined;
  return choice === 'reject' ? { kind: 'reject', reason: text } : { kind: 'answer', text };
}

async function look(
  opened: Opened,
  { task }: TaskNeed,
  how: 'diff' | 'shell',
  screen: Screen,
): Promise<Result<'again'>> {
  const work = await workOf(opened, task);
  if (!work.ok) {
    if (work.failure.kind !== 'usage') return work;
    screen.lines([`The newest attempt at ${task} has left no commit.`]);
    return ok('again');
  }
  const shown =
    how === 'diff'
      ? await settled(showDiff(opened, work.value, screen))
      : await settled(shell(opened, work.value, screen));
  return shown.ok ? ok('again') : fail((await workElsewhere(opened, work.value)) ?? shown.failure);
}

/** The user's pager gets the text as we print it, so nothing of it is hidden. */
async function showDiff(
  { git }: Opened,
  { from, to }: AttemptWork,
  { style }: Screen,
): Promise<Result<void>> {
  const patch = await git.diff(from, to);
  return openPager(shownText(patchLines(patch, style)));
}

function shell(opened: Opened, { to }: AttemptWork, screen: Screen): Promise<Result<void>> {
  screen.lines(['This is a copy of the work; changes are discarded.']);
  return openShellAt(opened, to);
}

/** One line of input; undefined at its end. */
async function ask(question: string): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  const ended = new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined)));
  try {
    return await Promise.race([lines.question(question), ended]);
  } finally {
    lines.close();
  }
}

async function goOn(call: Call, decided: readonly TaskNeed[]): Promise<number> {
  let next: AfterReview | undefined;
  const code = await withStore(call, 'read', async (opened) => {
    const found = await afterReview(opened, decided);
    if (found.ok) next = found.value;
    return found.ok ? ok(0) : found;
  });
  if (next === undefined) return code;
  const screen = screenOf(call);
  if (next.id === 'active') {
    screen.lines([`Run ${next.run} continues with your decisions.`]);
    return 0;
  }
  const { resume, only } = next;
  let worst = 0;
  for (const id of resume) worst = Math.max(worst, await start(call, screen, ['resume', id]));
  if (only.length === 0) return worst;
  return Math.max(worst, await start(call, screen, ['run', '--only', only.join(',')]));
}

async function start(call: Call, screen: Screen, argv: readonly string[]): Promise<number> {
  screen.lines(['', `ym ${argv.join(' ')}`]);
  const parsed = call.parse([...argv, ...inFolder(call)]);
  if (!parsed.ok) throw new Error(`ym ${argv.join(' ')} is not in the command table`);
  if (argv[0] === 'resume') return (await import('./resume.ts')).resume(parsed.value);
  return (await import('./run.ts')).run(parsed.value);
}

function inFolder({ global: { cwd } }: Call): readonly string[] {
  return cwd === undefined ? [] : ['--cwd', cwd];
}
