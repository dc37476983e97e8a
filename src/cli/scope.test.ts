import { describe, expect, it } from 'vitest';
import { need } from '../../test/rig/need.ts';
import { Story, task } from '../../test/story.ts';
import type { Task } from '../model/task.ts';
import { type Call, parse } from './parse.ts';
import type { Choice, Picker } from './scope.ts';
import { listOptions, runScope } from './scope.ts';

function call(...words: string[]): Call {
  const parsed = need(parse(words));
  return parsed;
}

const tasks = [
  task('api', { labels: ['epic:search'] }),
  task('docs', { labels: ['epic:search', 'x'], type: 'doc' }),
  task('other'),
];

function recordsOf(...stored: readonly Task[]) {
  return [...new Story().tasks(...stored).state.tasks.values()];
}

async function scope(...words: string[]) {
  const parsed = call('run', ...words);
  const incoming = parsed.args.length > 0 ? tasks.slice(0, 1) : [];
  const found = await runScope(parsed, recordsOf(...tasks), incoming);
  return found.ok ? found.value : found.failure;
}

describe('the scope of a run', () => {
  it('is every task with `--scope ready`', async () => {
    expect(await scope('--scope', 'ready')).toEqual({ kind: 'ready' });
  });

  it('consists of the tasks of the named sources', async () => {
    expect(await scope('plan.yaml')).toEqual({ kind: 'only', tasks: ['api'] });
  });

  it('is every task with `--scope ready`, even if a source is named', async () => {
    expect(await scope('plan.yaml', '--scope', 'ready')).toEqual({ kind: 'ready' });
  });

  it('consists of the named tasks, which must exist', async () => {
    expect(await scope('--only', 'api,docs')).toEqual({ kind: 'only', tasks: ['api', 'docs'] });
    const unknown = { kind: 'unknown-task', task: 'apo', nearest: 'api' };
    expect(await scope('--only', 'apo')).toEqual(unknown);
    expect(await scope('--scope', 'ready', '--except', 'apo')).toEqual(unknown);
  });

  it('consists of the named epics, which must exist', async () => {
    const search = { kind: 'epics', epics: ['search'] };
    expect(await scope('--scope', 'epics', '--epic', 'search')).toEqual(search);
    expect(await scope('--epic', 'search')).toEqual(search);
    expect(await scope('--epic', 'serach')).toMatchObject({
      kind: 'usage',
      remedy: 'Did you mean "search"? Epics are search.',
    });
    expect(await scope('--epic', 'other')).toMatchObject({
      problem: 'the task "other" is not an epic',
    });
    expect(await scope('--scope', 'epics')).toMatchObject({ kind: 'usage' });
  });

  it('refuses a closed epic', async () => {
    const story = new Story().tasks(task('big', { type: 'epic' }), task('part', { parent: 'big' }));
    story.decided('part', { kind: 'skip', reason: 'done elsewhere' });
    const records = [...story.state.tasks.values()];
    expect(await runScope(call('run', '--epic', 'big'), records, [])).toMatchObject({
      failure: { kind: 'usage', problem: 'the epic "big" is closed' },
    });
  });

  it('is narrowed by labels, types and exceptions, in any combination', async () => {
    expect(await scope('--label', 'x', '--type', 'doc,task')).toEqual({
      kind: 'ready',
      labels: ['x'],
      types: ['doc', 'task'],
    });
    expect(await scope('--except', 'other')).toEqual({ kind: 'ready', except: ['other'] });
    expect(await scope('--epic', 'search', '--except', 'docs')).toEqual({
      kind: 'epics',
      epics: ['search'],
      except: ['docs'],
    });
    expect(await scope('plan.yaml', '--except', 'other')).toEqual({
      kind: 'only',
      tasks: ['api'],
      except: ['other'],
    });
  });

  it('refuses a label or type that no task has', async () => {
    expect(await scope('--label', 'y')).toMatchObject({
      problem: 'no task has the label "y"',
      remedy: expect.stringContaining('Did you mean "x"? '),
    });
    expect(await scope('--type', 'docs')).toMatchObject({
      problem: 'no task has the type "docs"',
      remedy: 'Did you mean "doc"? There are task, doc.',
    });
  });

  it('must be given if there is no terminal; nothing is guessed', async () => {
    expect(await scope()).toMatchObject({
      kind: 'usage',
      remedy: expect.stringContaining('--scope'),
    });
    expect(await scope('--yes')).toMatchObject({ kind: 'usage' });
  });

  it('refuses options that exclude each other', async () => {
    expect(await scope('--scope', 'ready', '--only', 'api')).toMatchObject({ kind: 'usage' });
    expect(await scope('--scope', 'ready', '--epic', 'search')).toMatchObject({ kind: 'usage' });
    expect(await scope('--only', 'api', '--epic', 'search')).toMatchObject({ kind: 'usage' });
  });
});

describe('the user at a terminal', () => {
  const story = new Story().tasks(
    task('big', { type: 'epic' }),
    task('part', { parent: 'big' }),
    task('past'),
    task('next', { after: ['past', 'part'], wait: ['pull 7'] }),
    task('gone', { labels: ['epic:old'] }),
  );
  story.decided('gone', { kind: 'cancel', reason: 'no need' });
  story.decided('past', { kind: 'skip', reason: 'done elsewhere' });
  const records = [...story.state.tasks.values()];

  async function chosen(one: string | undefined, some: readonly string[] = []) {
    const offered: string[] = [];
    const seen = (choices: readonly Choice[]) =>
      offered.push(choices.map(({ value, hint = '' }) => `${value} ${hint}`.trim()).join('; '));
    const picker: Picker = {
      one: async (_, choices) => {
        seen(choices);
        return one;
      },
      some: async (_, choices) => {
        seen(choices);
        return some;
      },
    };
    const scope = await runScope(call('run'), records, [], picker);
    return { offered, scope: scope.ok ? scope.value : scope.failure };
  }

  it('chooses every task', async () => {
    expect((await chosen('ready')).scope).toEqual({ kind: 'ready' });
  });

  it('chooses among the tasks that may start', async () => {
    expect(await chosen('only', ['next'])).toEqual({
      offered: ['ready; epics; only', 'part; next waits for part, pull request #7'],
      scope: { kind: 'only', tasks: ['next'] },
    });
  });

  it('chooses among the epics that are not closed', async () => {
    expect(await chosen('epics', ['big'])).toEqual({
      offered: ['ready; epics; only', 'big'],
      scope: { kind: 'epics', epics: ['big'] },
    });
  });

  it.each([[undefined], ['only'], ['epics']])('may choose nothing: %s', async (one) => {
    expect((await chosen(one)).scope).toBe('none');
  });
});

it('lists of tasks are narrowed by the same options', () => {
  expect(listOptions(call('tasks', '--epic', 'search', '--type', 'doc', '--all'))).toEqual({
    ok: true,
    value: {
      states: [],
      all: true,
      scope: { kind: 'epics', epics: ['search'], types: ['doc'] },
    },
  });
  expect(listOptions(call('export'))).toMatchObject({ value: { scope: { kind: 'ready' } } });
  expect(listOptions(call('tasks', '--only', 'a', '--epic', 'b')).ok).toBe(false);
});
