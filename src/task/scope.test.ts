import { describe, expect, test } from 'vitest';
import { task } from '../../test/story.ts';
import { idsInScope, inScope, originTexts, scopedIds, scopeSigns } from './scope.ts';

const a = task('a', { labels: ['epic:x'] });
const more = task('more', { labels: ['follow-up-of:a'] });
const evenMore = task('even-more', { labels: ['follow-up-of:more'] });
const clash = task('clash', { type: 'conflict', labels: ['conflict:more'] });
const all = [a, more, evenMore, clash, task('b')];
const find = (id: string) => all.find((one) => one.id === id);

describe('the scope of a run', () => {
  test.each([
    { kind: 'only', tasks: ['a'] },
    { kind: 'epics', epics: ['x'] },
  ] as const)('holds what was filed for its tasks, however far down: $kind', (scope) => {
    const inside = all.filter(inScope(scope, find)).map(({ id }) => id);
    expect(inside).toEqual(['a', 'more', 'even-more', 'clash']);
  });

  test('holds the tasks of an epic, at any depth', () => {
    const tasks = [
      task('top', { type: 'epic' }),
      task('sub', { type: 'epic', parent: 'top' }),
      task('deep', { parent: 'sub' }),
      task('found', { labels: ['follow-up-of:deep'] }),
      task('other', { parent: 'elsewhere' }),
    ];
    const within = inScope({ kind: 'epics', epics: ['top'] }, (id) =>
      tasks.find((one) => one.id === id),
    );
    expect(tasks.filter(within).map(({ id }) => id)).toEqual(['top', 'sub', 'deep', 'found']);
  });

  test.each([
    [{ kind: 'ready', labels: ['ui', 'web'] }, ['page', 'sub', 'menu', 'found']],
    [{ kind: 'ready', types: ['bug'] }, ['menu', 'found']],
    [{ kind: 'ready', except: ['sub'] }, ['page', 'core']],
    [{ kind: 'ready', labels: ['ui'], except: ['menu'] }, ['sub']],
    [{ kind: 'epics', epics: ['sub'], types: ['bug'] }, ['menu', 'found']],
    [{ kind: 'only', tasks: ['page', 'menu'], labels: ['web'] }, ['page']],
  ] as const)('is narrowed by %j, also for what belongs to a task', (scope, inside) => {
    const tasks = [
      task('page', { labels: ['web'] }),
      task('sub', { type: 'epic', labels: ['ui'] }),
      task('menu', { type: 'bug', parent: 'sub' }),
      task('found', { labels: ['follow-up-of:menu'] }),
      task('core'),
    ];
    const within = inScope(scope, (id) => tasks.find((one) => one.id === id));
    expect(tasks.filter(within).map(({ id }) => id)).toEqual(inside);
  });

  test.each([
    { kind: 'only', tasks: ['sub', 'core'] },
    { kind: 'only', tasks: ['page', 'menu'], labels: ['we"b'] },
    { kind: 'only', tasks: ['sub'], except: ['menu'] },
    { kind: 'epics', epics: ['sub'] },
    { kind: 'epics', epics: ['x'], types: ['bug'] },
    { kind: 'ready', labels: ['we"b'] },
    { kind: 'ready', types: ['bug'], except: ['menu'] },
    { kind: 'ready', except: ['menu'] },
  ] as const)('is decided by the tasks with its signs and those with an origin: %j', (scope) => {
    const tasks = [
      task('page', { labels: ['we"b'] }),
      task('sub', { type: 'epic' }),
      task('menu', { type: 'bug', parent: 'sub' }),
      task('menu-2', { variantOf: 'menu' }),
      task('found', { labels: ['follow-up-of:menu'] }),
      task('clash', { type: 'conflict', labels: ['conflict:page'] }),
      task('far', { type: 'bug', labels: ['epic:x'] }),
      task('core'),
      task('other'),
    ];
    const signs = scopeSigns(scope);
    const deciding = tasks.filter((one) => {
      const texts = [...originTexts, ...signs.texts];
      const json = JSON.stringify(one);
      return signs.ids.includes(one.id) || texts.some((text) => json.includes(text));
    });
    const { ids, are } = scopedIds(scope, deciding);
    const named = tasks.filter(({ id }) => ids.includes(id) === (are === 'inside'));
    expect(named.map(({ id }) => id)).toEqual(idsInScope(scope, tasks));
    expect(deciding.length).toBeLessThan(tasks.length);
  });

  test('comes to an end where tasks name each other', () => {
    const one = task('one', { labels: ['follow-up-of:two'] });
    const two = task('two', { labels: ['follow-up-of:one'] });
    const within = inScope({ kind: 'only', tasks: ['a'] }, (id) => (id === 'one' ? one : two));
    expect(within(one)).toBe(false);
  });
});
