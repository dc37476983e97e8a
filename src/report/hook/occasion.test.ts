import { describe, expect, it } from 'vitest';
import { owner, Story, task } from '../../../test/story.ts';
import type { EventBody } from '../../model/event.ts';
import type { Occasion } from '../../model/hook.ts';
import { messageOf, sampleOf } from './message.ts';
import { occasionsOf } from './occasion.ts';

/** A story that keeps what hooks report of it. */
class Told extends Story {
  readonly occasions: Occasion[] = [];

  override tell(...events: readonly EventBody[]): this {
    for (const body of events) {
      super.tell(body);
      const event = { seq: this.occasions.length + 1, at: this.now, version: 1, ...body } as const;
      this.occasions.push(...occasionsOf({ event, records: this.state, isRepeated: false }));
    }
    return this;
  }

  get points(): readonly string[] {
    return this.occasions.map(({ point }) => point);
  }

  text(point: string): string | undefined {
    return this.occasions.find((one) => one.point === point)?.text;
  }
}

const started = (more = {}) => new Told().tasks(task('a', { type: 'bug' }), task('b')).start(more);
const usage = (input: number) => ({ input, output: 0, cacheRead: 0, cacheWrite: 0 });

describe('what hooks report', () => {
  it('is the start of a run, of an attempt, a landing and the end', () => {
    const told = started().landed('a');
    told.tell({ type: 'run-ended', run: 'r1', stop: { reason: 'drained' } });
    expect(told.points).toEqual(['run-started', 'task-started', 'task-landed', 'run-ended']);
    expect(told.text('task-landed')).toMatch(/^a landed as landing/);
    expect(told.text('run-ended')).toBe('Run r1 ended: nothing left to start. 1 landing.');
    expect(told.occasions[1]?.task).toEqual({
      id: 'a',
      title: 'Task a',
      type: 'bug',
      priority: 2,
      labels: [],
    });
  });

  it('is not an attempt that is retried, but a task that failed or is quarantined', () => {
    const told = started({ retries: 0, quarantineAfter: 2 }).errs('a');
    expect(told.points).toEqual(['run-started', 'task-started', 'task-failed']);
    const retried = started({ retries: 3 }).errs('a');
    expect(retried.points).not.toContain('task-failed');
    const often = started({ retries: 3, quarantineAfter: 1 }).errs('a');
    expect(often.points).toContain('task-quarantined');
    expect(often.occasions.at(-1)?.do).toContain('ym ');
  });

  it('is a task that is canceled while an agent works on it, with the reason', () => {
    const told = started().prepared('a').turn('a');
    const failure = { kind: 'canceled-by-person', reason: 'not needed' } as const;
    told.decided('a', { kind: 'cancel', reason: 'not needed' });
    told.tell({ type: 'attempt-failed', run: 'r1', id: 'a', attempt: 1, failure });
    expect(told.points).toEqual(['run-started', 'task-started', 'task-canceled']);
    expect(told.text('task-canceled')).toMatch(/^a was canceled: .*not needed/);
    const idle = started().decided('b', { kind: 'cancel', reason: 'no' });
    expect(idle.points).toEqual(['run-started']);
  });

  it.each([
    ['idle', ['task-stalled']],
    ['start', ['task-stalled']],
    ['wall', []],
  ] as const)('is an agent that printed nothing, and no other limit: %s', (limit, points) => {
    const told = started().prepared('a').turn('a');
    const failure = { kind: 'limit-crossed', phase: 'agent', limit, value: 900_000, tail: '' };
    told.turnEnds('a', { ok: false, failure } as never);
    expect(told.points.slice(2)).toEqual(points);
    expect(told.text('task-stalled') ?? 'a stalled: The agent printed nothing').toMatch(
      /^a stalled: The agent printed nothing/,
    );
  });

  it('is a question with the command that answers it', () => {
    const asked = started().prepared('a').turn('a');
    asked.calls('a', { id: 'ask', question: 'Which color?' }).turnEnds('a', { ok: true, tail: '' });
    expect(asked.points).toContain('question-asked');
    expect(asked.text('question-asked')).toBe('a has a question: Which color?');
    expect(asked.occasions.at(-1)?.do).toContain('ym answer a');
  });

  it('is a budget that comes near its end and one that is used up, each once', () => {
    const told = started({ tokens: 100 });
    for (const [id, tokens] of [
      ['a', 79],
      ['b', 10],
    ] as const) {
      told
        .prepared(id)
        .turn(id)
        .turnEnds(id, { ok: true, tail: '', usage: usage(tokens) });
    }
    expect(told.points.filter((point) => point.startsWith('budget'))).toEqual(['budget-near']);
    expect(told.text('budget-near')).toBe('89 % of the token budget of run r1 are used.');
    const used = started({ tokens: 100 }).prepared('a').turn('a');
    used.turnEnds('a', { ok: true, tail: '', usage: usage(120) });
    used.tell({ type: 'run-ended', run: 'r1', stop: { reason: 'budget-tokens' } });
    expect(used.points.filter((point) => point.startsWith('budget'))).toEqual(['budget-reached']);
    const slow = started().tell({
      type: 'run-ended',
      run: 'r1',
      stop: { reason: 'budget-wall' },
    });
    expect(slow.points).toEqual(['run-started', 'budget-reached', 'run-ended']);
    const starts = started({ maxAttempts: 2 })
      .prepared('a')
      .turn('a')
      .prepared('b', 2)
      .turn('b', 2);
    expect(starts.points.filter((point) => point.startsWith('budget'))).toEqual([]);
  });

  it('is the pause of an account once, and a red target', () => {
    const told = started().prepared('a').turn('a').prepared('b', 2).turn('b', 2);
    const failure = { kind: 'provider-rate-limit', retryAfterMs: 5_000 } as const;
    for (const id of ['a', 'b']) told.turnEnds(id, { ok: false, failure } as never);
    expect(told.points.filter((point) => point === 'quota-paused')).toHaveLength(1);
    expect(told.text('quota-paused')).toMatch(/^Account scripted is paused for 5 s: /);
    expect(started().targetJudged(true).points).not.toContain('target-red');
    expect(started().targetJudged(false).text('target-red')).toMatch(/^main is red: /);
  });

  it('is a landing that is blocked, until its reason changes', () => {
    const told = started();
    const failure = { kind: 'checkout-in-the-way', files: ['x'] } as never;
    const event = {
      ...{ seq: 9, at: 1, version: 1, type: 'landing-waits', run: 'r1', candidate: 'c1' },
      ...{ failure, until: 1 },
    } as const;
    const records = told.state;
    expect(occasionsOf({ event, records, isRepeated: false } as never)).toHaveLength(1);
    expect(occasionsOf({ event, records, isRepeated: true } as never)).toHaveLength(0);
  });

  it('is work that waits for approval, and a revision of the plan that does', () => {
    const told = started().prepared('a').works('a');
    const failure = { kind: 'approval-needed', violations: [], reason: 'person' } as never;
    told.tell({ type: 'approval-asked', run: 'r1', id: 'a', attempt: 1, failure });
    expect(told.occasions.at(-1)).toMatchObject({
      point: 'approval-wanted',
      task: { id: 'a' },
      failure: 'approval-needed',
    });
    expect(told.text('approval-wanted')).toMatch(/^a waits for your approval: /);
    const event = {
      ...{ seq: 9, at: 1, version: 1, type: 'plan-proposed', run: 'r1', id: 'a', call: 1 },
      ...{ agent: 'mine', outcome: { id: 'unchanged' } },
    } as const;
    const blocked = {
      kind: 'revision-proposed',
      message: 'too large',
      agent: 'mine',
      changes: ['+ b'],
    } as const;
    const record = { ...told.task('a'), status: { id: 'blocked', failure: blocked } } as const;
    const records = { task: () => record, run: () => told.record() };
    expect(occasionsOf({ event, records, isRepeated: false } as never)).toMatchObject([
      { point: 'approval-wanted', text: expect.stringContaining('too large') },
    ]);
    expect(occasionsOf({ event, records: told.state, isRepeated: false } as never)).toEqual([]);
  });

  it('is a choice between finished variants', () => {
    const told = started().tell({
      type: 'choice-asked',
      run: 'r1',
      id: 'a',
      finished: ['a.v1', 'a.v2'],
    });
    expect(told.occasions.at(-1)).toMatchObject({
      point: 'choice-wanted',
      text: 'a waits for a person to choose: a.v1, a.v2 are finished.',
      do: 'See `ym compare a`, then type `ym choose a N`.',
    });
  });

  it('is every task of a landing and of a delivery', () => {
    const entries = [
      { id: 'a', attempt: 1, commit: 'c1', coClaims: ['b'] },
      { id: 'c', attempt: 2, commit: 'c2' },
    ];
    const common = { seq: 9, at: 1, version: 1, run: 'r1', candidate: 'x', entries } as const;
    const records = started().state;
    const landed = occasionsOf({
      event: { ...common, type: 'landed', commit: 'f2', from: 'f0', commits: ['f1', 'f2'] },
      records,
      isRepeated: false,
    });
    expect(landed.map(({ text, commit }) => [text, commit])).toEqual([
      ['a landed as f1.', 'f1'],
      ['b landed as f1.', 'f1'],
      ['c landed as f2.', 'f2'],
    ]);
    // A task that is not known any more is still named.
    expect(landed[2]?.task).toMatchObject({ id: 'c', title: '' });
    const url = 'https://forge.example/1';
    const delivered = occasionsOf({
      event: { ...common, type: 'delivered', how: 'pr', branch: 'yard/a', url },
      records,
      isRepeated: false,
    });
    expect(delivered[0]).toMatchObject({
      point: 'task-landed',
      text: `a was delivered as ${url}.`,
      url,
    });
  });

  it('is a verification that fails, and not one that passes', () => {
    const verified = (outcome: Extract<EventBody, { type: 'run-verified' }>['outcome']) =>
      started().tell({ type: 'run-verified', run: 'r1', outcome });
    const passed = verified({ kind: 'passed', command: 'npm test', ms: 1 });
    expect(passed.points).toEqual(['run-started']);
    const failed = verified({ kind: 'failed', command: 'npm test', exit: 1, ms: 1, tail: '' });
    expect(failed.text('target-red')).toBe(
      'The verification of the target failed: "npm test" exited with status 1.',
    );
  });

  it('is the start that brings the budget of starts near its end', () => {
    const told = started({ maxAttempts: 2, jobs: 3 });
    told.prepared('a').turn('a').turnEnds('a', { ok: true, tail: '' });
    expect(told.points).not.toContain('budget-near');
    const more = new Told().tasks(...'abcdef'.split('').map((id) => task(id)));
    more.start({ maxAttempts: 5, jobs: 6 });
    for (const [at, id] of [...'abcd'].entries()) more.prepared(id, at + 1).turn(id, at + 1);
    expect(more.points.filter((point) => point === 'budget-near')).toHaveLength(1);
    expect(more.text('budget-near')).toBe('80 % of the agent start budget of run r1 are used.');
  });

  it('is nothing of a task that a person stopped', () => {
    const told = started().prepared('a').turn('a');
    told.decided('a', { kind: 'block', reason: 'later' });
    const failure = { kind: 'interrupted', by: 'the run' } as const;
    told.turnEnds('a', { ok: false, failure });
    told.tell({ type: 'attempt-failed', run: 'r1', id: 'a', attempt: 1, failure });
    expect(told.points).toEqual(['run-started', 'task-started']);
  });

  it('is one line of bounded length, whatever an agent asks', () => {
    const told = started().prepared('a').turn('a');
    const question = `first\nsecond\u001b[31m ${'x'.repeat(5_000)}`;
    told.calls('a', { id: 'ask', question }).turnEnds('a', { ok: true, tail: '' });
    const text = told.text('question-asked') ?? '';
    expect(text.length).toBeLessThanOrEqual(2_000);
    expect(text).toContain('first second');
    for (const control of ['\n', '\u001b']) expect(text).not.toContain(control);
  });

  it('says that a run was resumed', () => {
    const told = started().tell({ type: 'run-resumed', run: 'r1', owner });
    expect(told.occasions.at(-1)).toMatchObject({
      point: 'run-started',
      text: 'Run r1 was resumed.',
    });
  });
});

describe('a message', () => {
  const options = { hook: 'team', project: 'shop', hash: (text: string) => `#${text.length}` };

  it('is one event with an id that stays the same, or a digest of several', () => {
    const one = messageOf([sampleOf('task-landed', 0)], options);
    expect(one).toMatchObject({
      schema: 1,
      hook: 'team',
      project: 'shop',
      point: 'task-landed',
      at: '1970-01-01T00:00:00.000Z',
      task: { id: 'sample' },
    });
    expect(messageOf([sampleOf('task-landed', 0)], options)).toEqual(one);
    const samples = [sampleOf('task-landed', 0), sampleOf('run-ended', 5)];
    const digest = messageOf(samples, options);
    expect(digest).toMatchObject({ point: 'digest', more: 0, at: '1970-01-01T00:00:00.005Z' });
    expect(digest.text).toMatch(/^shop: 2 events \(1 × task-landed, 1 × run-ended\)\n- This/);
    expect('events' in digest && digest.events.map(({ id }) => id)).toEqual([one.id, '#78']);
  });

  it('lists at most a bounded number of events', () => {
    const many = Array.from({ length: 120 }, (_, at) => sampleOf('run-ended', at));
    const digest = messageOf(many, options);
    expect(digest).toMatchObject({ more: 20 });
    expect('events' in digest && digest.events).toHaveLength(100);
    expect(digest.text).toContain('… and 100 more');
  });
});
