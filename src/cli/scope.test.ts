import { describe, expect, test } from 'vitest';
import { task } from '../../test/story.ts';
import { parse } from './parse.ts';
import { scopeOf } from './run.ts';

const tasks = [
  task('api', { labels: ['epic:search'] }),
  task('docs', { labels: ['epic:search', 'x'] }),
  task('other'),
];

async function scope(...words: string[]) {
  const call = parse(['run', ...words]);
  if (!call.ok) throw new Error(JSON.stringify(call.failure));
  const incoming = call.value.args.length > 0 ? tasks.slice(0, 1) : [];
  const found = await scopeOf(call.value, tasks, incoming);
  return found.ok ? found.value : found.failure;
}

describe('the scope of a run', () => {
  test('is every task when that is said', async () => {
    expect(await scope('--scope', 'ready')).toEqual({ kind: 'ready' });
  });

  test('is the tasks of the sources that are named', async () => {
    expect(await scope('plan.yaml')).toEqual({ kind: 'only', tasks: ['api'] });
  });

  test('is every task when both are said', async () => {
    expect(await scope('plan.yaml', '--scope', 'ready')).toEqual({ kind: 'ready' });
  });

  test('is the tasks that are named, which must exist', async () => {
    expect(await scope('--only', 'api,docs')).toEqual({ kind: 'only', tasks: ['api', 'docs'] });
    expect(await scope('--only', 'apo')).toEqual({
      kind: 'unknown-task',
      task: 'apo',
      nearest: 'api',
    });
  });

  test('is the epics that are named, which must exist', async () => {
    const search = { kind: 'epics', epics: ['search'] };
    expect(await scope('--scope', 'epics', '--epic', 'search')).toEqual(search);
    expect(await scope('--epic', 'search')).toEqual(search);
    expect(await scope('--epic', 'serach')).toMatchObject({
      kind: 'usage',
      remedy: 'Epics are search.',
    });
    expect(await scope('--scope', 'epics')).toMatchObject({ kind: 'usage' });
  });

  test('must be said without a terminal; nothing is guessed', async () => {
    expect(await scope()).toMatchObject({
      kind: 'usage',
      remedy: expect.stringContaining('--scope'),
    });
    expect(await scope('--yes')).toMatchObject({ kind: 'usage' });
  });

  test('is not two things at once', async () => {
    expect(await scope('--scope', 'ready', '--only', 'api')).toMatchObject({ kind: 'usage' });
    expect(await scope('--scope', 'ready', '--epic', 'search')).toMatchObject({ kind: 'usage' });
    expect(await scope('--only', 'api', '--epic', 'search')).toMatchObject({ kind: 'usage' });
  });
});
