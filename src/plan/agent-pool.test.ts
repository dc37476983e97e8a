import { describe, expect, test } from 'vitest';
import { crash, Story, task } from '../../test/story.ts';
import type { PoolMember, RunSettings } from '../model/run.ts';
import { ignoredReasoning, modelsNeeded, oneOfEachKind } from './agent-pool.ts';

const member = (name: string, more: Partial<PoolMember> = {}): PoolMember => ({
  name,
  account: name,
  volunteers: true,
  ...more,
});

/** Which agent gets which task, as `task agent`, with the model where there is one. */
function assigned(story: Story): readonly string[] {
  return story
    .decide()
    .commands.flatMap((command) =>
      command.type === 'claim' ? [`${command.id} ${command.agent}`] : [],
    );
}

function crewed(agentPool: readonly PoolMember[], more: Partial<RunSettings> = {}) {
  return { jobs: 4, agent: agentPool[0]?.name ?? 'none', agentPool, ...more };
}

const four = () => new Story().tasks(task('a'), task('b'), task('c'), task('d'));

describe('a mixed agent pool', () => {
  test('works side by side, as many of each as the config says', () => {
    const agentPool = [member('x', { count: 1 }), member('y', { count: 2 })];
    expect(assigned(four().start(crewed(agentPool)))).toEqual(['a x', 'b y', 'c y']);
  });

  test('counts those who are at work', () => {
    const agentPool = [member('x', { count: 1 }), member('y', { count: 1 })];
    const story = four().start(crewed(agentPool)).prepared('a', 1, 'base', 'x').turn('a');
    expect(assigned(story)).toEqual(['b y']);
  });

  test('gives a task to who is there for its type or label, and to nobody instead', () => {
    const agentPool = [
      member('any'),
      member('docs', { types: ['docs'], count: 1 }),
      member('web', { labels: ['area:web'] }),
    ];
    const story = new Story()
      .tasks(
        task('a', { type: 'docs' }),
        task('b', { type: 'docs' }),
        task('c', { labels: ['area:web'] }),
        task('d'),
      )
      .start(crewed(agentPool));
    expect(assigned(story)).toEqual(['a docs', 'c web', 'd any']);
  });

  test('a task that names an agent gets no other', () => {
    const agentPool = [member('x', { count: 1 }), member('y', { count: 1, volunteers: false })];
    const story = new Story()
      .tasks(task('a', { agent: 'y' }), task('b', { agent: 'y' }), task('c'))
      .start(crewed(agentPool));
    expect(assigned(story)).toEqual(['a y', 'c x']);
  });

  test('a model that names its agent chooses it', () => {
    const agentPool = [member('x'), member('y', { volunteers: false })];
    const story = new Story()
      .tasks(task('a', { labels: ['model:y:gpt:high'] }), task('b'))
      .start(crewed(agentPool, { models: { default: 'opus' } }));
    expect(assigned(story)).toEqual(['a y', 'b x']);
    story.prepared('a', 1, 'base', 'y').prepared('b', 2, 'base', 'x');
    expect(story.decide().commands).toEqual([
      ...[
        { type: 'begin-turn', id: 'a', attempt: 1, turn: 1, slot: 1 },
        { type: 'begin-turn', id: 'b', attempt: 1, turn: 1, slot: 2 },
      ].map((turn, at) =>
        at === 0
          ? { ...turn, agent: 'y', model: 'gpt', reasoning: 'high' }
          : { ...turn, agent: 'x', model: 'opus' },
      ),
    ]);
  });

  test('a default model that names an agent chooses it, but takes nothing from volunteers', () => {
    const agentPool = [member('x'), member('y', { volunteers: false })];
    const models = { default: 'y:gpt' };
    const alone = four().start(crewed(agentPool, { models, jobs: 1 }));
    expect(assigned(alone)).toEqual(['a y']);
    const others = four().start(crewed([...agentPool, member('z')], { models, jobs: 1 }));
    expect(assigned(others)).toEqual(['a x']);
  });

  test('planners take only what is to be planned, executors never do', () => {
    const agentPool = [
      member('planner', { role: 'planner' }),
      member('executor', { role: 'executor' }),
    ];
    const story = new Story()
      .tasks(task('a', { type: 'plan' }), task('b'), task('c', { type: 'plan' }))
      .start(crewed(agentPool, { agent: 'executor' }));
    expect(assigned(story)).toEqual(['a planner', 'b executor', 'c planner']);
  });

  test('nobody plans where there are only executors, also not the one the run is named after', () => {
    const agentPool = [member('x', { role: 'executor' })];
    const story = new Story()
      .tasks(task('a', { type: 'plan' }), task('b'))
      .start(crewed(agentPool));
    expect(assigned(story)).toEqual(['b x']);
  });

  test('waits between two turns of a conversation', () => {
    const agentPool = [member('x', { waitMs: 5_000 })];
    const story = new Story().tasks(task('a')).start(crewed(agentPool));
    story.prepared('a', 1, 'base', 'x').turn('a');
    story.turnEnds('a', { ok: true, tail: '', signal: { id: 'nothing' } });
    expect(story.decide()).toEqual({ commands: [], wakeAt: story.now + 5_000 });
    story.now += 5_000;
    expect(story.commands()).toEqual(['begin-turn a 1']);
  });

  test('waits between two tasks of one slot, and does not end the run meanwhile', () => {
    const agentPool = [member('x', { waitMs: 5_000 })];
    const story = new Story().tasks(task('a'), task('b')).start({ ...crewed(agentPool), jobs: 1 });
    story.prepared('a', 1, 'base', 'x').turn('a').turnEnds('a', { ok: false, failure: crash });
    const ended = story.now;
    const of = { run: 'r1', id: 'a', attempt: 1 };
    story.tell({ type: 'attempt-failed', ...of, failure: crash });
    const { commands, wakeAt } = story.decide();
    expect(commands).toEqual([]);
    expect(wakeAt).toBe(ended + 5_000);
    story.now = ended + 5_000;
    expect(story.commands()).toHaveLength(1);
    expect(story.commands()[0]).toMatch(/^claim /);
  });

  test('gets no reasoning effort where it has no setting for one, and that can be told', () => {
    const deaf = member('x', { model: 'm:high', ignoresReasoning: true });
    const story = new Story().tasks(task('a')).start(crewed([deaf]));
    story.prepared('a', 1, 'base', 'x');
    expect(story.decide().commands).toMatchObject([{ type: 'begin-turn', model: 'm' }]);
    expect(story.decide().commands[0]).not.toMatchObject({ reasoning: expect.anything() });
    const { settings } = story.record();
    expect(ignoredReasoning(settings, [task('a')])).toEqual([{ agent: 'x', reasoning: 'high' }]);
  });
});

test('one task of each kind stands for all that the same agents would take', () => {
  const tasks = [
    task('a'),
    task('b', { title: 'other words' }),
    task('c', { type: 'docs' }),
    task('d', { labels: ['x'] }),
    task('e', { priority: 0 }),
    task('f', { agent: 'y' }),
    task('g', { body: '<!-- ym:model=opus -->' }),
    task('h', { type: 'docs' }),
  ];
  expect(oneOfEachKind(tasks).map(({ id }) => id)).toEqual(['a', 'c', 'd', 'e', 'f', 'g']);
});

describe('the models that a run needs', () => {
  const base = {
    ...new Story().start({ agent: 'x' }).record().settings,
    agentPool: [member('x', { model: 'big:high' }), member('y', { volunteers: false })],
  };
  const needed = (more: Partial<RunSettings>, ...tasks: Parameters<typeof modelsNeeded>[1]) =>
    modelsNeeded({ ...base, ...more }, tasks).map(({ agent, model = '' }) => `${agent}:${model}`);

  test('are each agent with each model once, whatever the effort', () => {
    const tasks = [
      task('a'),
      task('b', { labels: ['model:small'] }),
      task('c', { labels: ['model:small:low'] }),
      task('d', { agent: 'y' }),
    ];
    expect(needed({}, ...tasks)).toEqual(['x:big', 'x:small', 'y:']);
  });

  test('are those of an idle agent too, because tasks may be added', () => {
    const models = { default: 'usual' };
    expect(needed({ models }, task('a', { agent: 'y' }))).toEqual(['x:big', 'y:usual']);
  });

  test('are the own ones of the fallback and of all that answer single questions', () => {
    const more = {
      models: { default: 'usual' },
      fallback: { agent: 'y', cooldown: 1 },
      review: { reviewers: ['y', 'x'], rounds: 1, retries: 0, person: false },
      planner: { agent: 'z', budgetTokens: 1 },
    };
    expect(needed(more, task('a'))).toEqual(['x:big', 'y:', 'z:']);
  });
});

describe('a run that has nothing left to do', () => {
  test('waits for tasks as long as it is told, and takes one that comes', () => {
    const story = new Story().tasks(task('a')).start({ jobs: 1, waitForTasksMs: 60_000 });
    story.landed('a');
    const quiet = story.now;
    expect(story.decide()).toEqual({ commands: [], wakeAt: quiet + 60_000 });
    story.now = quiet + 30_000;
    story.tasks(task('b'));
    expect(story.commands()).toEqual(['claim b 1']);
    story.landed('b');
    story.now += 60_000;
    expect(story.commands()).toEqual(['end-run drained']);
  });

  test('waits for none where its tasks are named one by one: none can come', () => {
    const scope = { kind: 'only', tasks: ['a'] } as const;
    const story = new Story().tasks(task('a')).start({ jobs: 1, scope, waitForTasksMs: 60_000 });
    expect(story.landed('a').commands()).toEqual(['end-run drained']);
  });
});
