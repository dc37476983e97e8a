import type { TestsFirst } from '../../src/model/attempt.ts';
import type { MemoryGit } from '../memory/git.ts';
import type { Chance } from './chance.ts';
import type { Say } from './invariants.ts';
import type { World } from './world.ts';

const testOf = (task: string): string => `test/${task}.test.js`;
const text = 'test';

/** Tests of a tree that fail: those of tasks whose work is missing. */
export function failingTests(files: ReadonlyMap<string, string>): readonly string[] {
  return [...files].flatMap(([path, content]) => {
    const [, task] = /^test\/(.*)\.test\.js$/.exec(path) ?? [];
    return task !== undefined && content.startsWith(text) && !files.has(`work/${task}`)
      ? [path]
      : [];
  });
}

/** Output of a test runner that names them. */
export function outputOf(failing: readonly string[]): string {
  return failing.map((path) => ` FAIL  ${path} > works\nit does not\n`).join('');
}

/**
 * What an agent does about tests. Most write a test that fails; some write one that passes, do the work at once, or break
 * something. Later most leave the test alone.
 */
export function aboutTests(
  git: MemoryGit,
  chance: Chance,
  dir: string,
  task: string,
  { id }: TestsFirst,
): void {
  const write = (content: string): void => git.write(dir, testOf(task), content);
  if (id === 'red') return write(chance.happens(0.85) ? text : `${text}, but easier`);
  for (const path of [`work/${task}`, `broken/${task}`]) git.remove(dir, path);
  const luck = chance.between(1, 20);
  write(luck === 20 ? 'nothing' : text);
  if (luck === 19) git.write(dir, `work/${task}`, 'too early');
  if (luck === 18) git.write(dir, `broken/${task}`, 'yes');
}

/** What lands with a test of its own was red before, and its test is as it was then unless a person approved it. */
export function testsFailedFirst({ git, events, isTestedFirst }: World, say: Say): void {
  if (!isTestedFirst) return;
  const red = new Map<string, string>();
  const captured = new Map<string, string>();
  const free = new Set<string>();
  for (const event of events) {
    if (event.type === 'task-decided' && event.decision.kind === 'approve') free.add(event.id);
    if (event.type === 'work-captured') {
      captured.set(event.id, event.commit);
      if (event.by === 'person') free.add(event.id);
    }
    if (event.type === 'attempt-started') red.delete(event.id);
    if (event.type === 'branch-judged' && event.tests?.id === 'red') {
      red.set(event.id, captured.get(event.id) ?? '');
    }
    if (event.type !== 'landed') continue;
    for (const { id, commit } of event.entries) {
      if (free.has(id)) continue;
      const first = red.get(id);
      if (first === undefined) say(`${id} landed without a test that failed first`);
      else if (git.tree(first).get(testOf(id)) !== git.tree(commit).get(testOf(id))) {
        say(`${id} landed with another test than the one that failed first`);
      }
    }
  }
}
