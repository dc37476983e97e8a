import { describe, expect, test } from 'vitest';
import { Story, task } from '../../test/story.ts';
import type { Task } from '../model/task.ts';
import { leaseWaitMs } from './leases.ts';
import { startsPerOldest } from './slots.ts';

const parser = { paths: ['src/parser.ts'] };
const lexer = { paths: ['src/lexer.ts'] };

/** One task is at work on the parser, and a slot is free. */
function busy(...tasks: readonly Task[]): Story {
  return new Story()
    .tasks(task('holder', parser))
    .start()
    .prepared('holder')
    .tasks(...tasks);
}

describe('a ready task that overlaps with work in flight', () => {
  test('waits while another task is ready', () => {
    const story = busy(task('same', parser), task('other', lexer));
    expect(story.commands()).toContain('claim other 1');
    story.landed('other', 2);
    expect(story.commands()).toContain('claim same 1');
  });

  test('starts if nothing else is ready: a slot is never idle for it', () => {
    expect(busy(task('same', parser)).commands()).toContain('claim same 1');
    const twin = busy(task('same', parser), task('twin', { body: 'Rewrite `src/parser.ts`.' }));
    expect(twin.commands()).toContain('claim same 1');
  });

  test('starts as soon as the work has landed', () => {
    const story = new Story()
      .tasks(task('holder', parser))
      .start()
      .landed('holder')
      .tasks(task('same', parser), task('other', lexer));
    expect(story.commands()).toEqual(['claim same 1', 'claim other 1']);
  });

  test('is not started together with one that it overlaps with', () => {
    const story = new Story()
      .tasks(task('a', parser), task('b', { paths: ['src/**'] }), task('c', lexer), task('d'))
      .start({ jobs: 2 });
    expect(story.commands()).toEqual(['claim a 1', 'claim c 1']);
  });

  test('is known by the files that the work has really changed, once it is captured', () => {
    const files = ['docs/guide.md'];
    const story = busy(task('same', parser), task('docs', { paths: files })).works('holder', 1, {
      changes: { files, count: 1, added: 1, removed: 0 },
    });
    expect(story.commands()).toContain('claim same 1');
    expect(story.commands()).not.toContain('claim docs 1');
  });

  test('is known by what earlier tasks with its words changed, and by files that change together', () => {
    const files = {
      byWord: { grammar: ['src/parser.ts'] },
      together: { 'src/tokens.ts': ['src/parser.ts'] },
    };
    const story = new Story()
      .tasks(task('holder', parser))
      .start({ jobs: 3, forecast: { files } })
      .prepared('holder')
      .tasks(
        task('words', { title: 'Extend the grammar' }),
        task('with', { paths: ['src/tokens.ts'] }),
        task('free'),
        task('lexer', lexer),
      );
    expect(story.commands()).toEqual(expect.arrayContaining(['claim free 1', 'claim lexer 1']));
  });

  test('does not wait behind tasks that are far from the critical path', () => {
    const chain = ['x', 'y', 'z'].map((id, at, all) =>
      task(id, { after: [at === 0 ? 'same' : (all[at - 1] ?? '')] }),
    );
    const story = busy(task('same', parser), task('other', lexer), ...chain);
    expect(story.commands()).toContain('claim same 1');
  });

  test('does not wait if it has priority 0, nor for work that waits for a person', () => {
    const urgent = busy(task('same', { ...parser, priority: 0 }), task('other', lexer));
    expect(urgent.commands()).toContain('claim same 1');
    const asking = busy(task('same', parser), task('other', lexer));
    asking.turn('holder').turnEnds('holder', {
      ok: true,
      tail: '',
      signal: { id: 'ask', question: 'Which?' },
    });
    expect(asking.commands()).toContain('claim same 1');
  });

  test('starts in the end, although others are always ready', () => {
    const story = busy(task('same', parser));
    story.now += leaseWaitMs;
    let started = false;
    for (let at = 0; !started && at < 2 * startsPerOldest; at += 1) {
      story.tasks(task(`new-${at}`, { priority: 1 }));
      const [claim = ''] = story.commands().filter((command) => command.startsWith('claim'));
      started = claim === 'claim same 1';
      if (!started) story.landed(`new-${at}`, 2);
    }
    expect(started).toBe(true);
  });
});
