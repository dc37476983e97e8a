import { describe, expect, it } from 'vitest';
import { task } from '../../test/story.ts';
import { type Call, parse } from './parse.ts';
import { scopeOf, sharedFlags } from './run.ts';

function call(...words: string[]): Call {
  const parsed = parse(words);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.failure));
  return parsed.value;
}

describe('flags of the end-of-run verification', () => {
  it.each(['run', 'resume'])('set nothing for %s if none is given', (command) => {
    expect(sharedFlags(call(command))).toMatchObject({
      'verify.enabled': undefined,
      'verify.command': undefined,
    });
  });

  it.each([
    [['--verify-tests'], true, undefined],
    [['--no-verify-tests'], false, undefined],
    [['--verify-tests', '--no-verify-tests'], false, undefined],
    [['--no-verify-tests', '--verify-tests'], false, undefined],
    [['--verify-command', 'make all'], true, 'make all'],
    [['--verify-command', 'make all', '--no-verify-tests'], false, 'make all'],
  ])('%j set `verify.enabled` to %s', (words, enabled, command) => {
    expect(sharedFlags(call('run', ...words))).toMatchObject({
      'verify.enabled': enabled,
      'verify.command': command,
    });
  });
});

it('budget flags set the config keys of the budget', () => {
  expect(sharedFlags(call('resume', '--max-attempts', '3', '--budget-tokens', '2M'))).toMatchObject(
    {
      'budget.attempts': 3,
      'budget.new_tasks': undefined,
      'budget.wall': undefined,
      'budget.tokens': '2M',
      'budget.cost': undefined,
    },
  );
});

const tasks = [
  task('api', { labels: ['epic:search'] }),
  task('docs', { labels: ['epic:search', 'x'] }),
  task('other'),
];

async function scope(...words: string[]) {
  const parsed = call('run', ...words);
  const incoming = parsed.args.length > 0 ? tasks.slice(0, 1) : [];
  const found = await scopeOf(parsed, tasks, incoming);
  return found.ok ? found.value : found.failure;
}

describe('the scope of a run', () => {
  it('is every task when that is said', async () => {
    expect(await scope('--scope', 'ready')).toEqual({ kind: 'ready' });
  });

  it('is the tasks of the sources that are named', async () => {
    expect(await scope('plan.yaml')).toEqual({ kind: 'only', tasks: ['api'] });
  });

  it('is every task when both are said', async () => {
    expect(await scope('plan.yaml', '--scope', 'ready')).toEqual({ kind: 'ready' });
  });

  it('is the tasks that are named, which must exist', async () => {
    expect(await scope('--only', 'api,docs')).toEqual({ kind: 'only', tasks: ['api', 'docs'] });
    expect(await scope('--only', 'apo')).toEqual({
      kind: 'unknown-task',
      task: 'apo',
      nearest: 'api',
    });
  });

  it('is the epics that are named, which must exist', async () => {
    const search = { kind: 'epics', epics: ['search'] };
    expect(await scope('--scope', 'epics', '--epic', 'search')).toEqual(search);
    expect(await scope('--epic', 'search')).toEqual(search);
    expect(await scope('--epic', 'serach')).toMatchObject({
      kind: 'usage',
      remedy: 'Epics are search.',
    });
    expect(await scope('--scope', 'epics')).toMatchObject({ kind: 'usage' });
  });

  it('must be said without a terminal; nothing is guessed', async () => {
    expect(await scope()).toMatchObject({
      kind: 'usage',
      remedy: expect.stringContaining('--scope'),
    });
    expect(await scope('--yes')).toMatchObject({ kind: 'usage' });
  });

  it('is not two things at once', async () => {
    expect(await scope('--scope', 'ready', '--only', 'api')).toMatchObject({ kind: 'usage' });
    expect(await scope('--scope', 'ready', '--epic', 'search')).toMatchObject({ kind: 'usage' });
    expect(await scope('--only', 'api', '--epic', 'search')).toMatchObject({ kind: 'usage' });
  });
});
