// Queues, positions and retries of hooks, with a clock that the test moves and a receiver that it controls.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { followHooks } from '../../src/app/followed-hooks.ts';
import { openHooks } from '../../src/app/hooks.ts';
import { type Config, loadConfig } from '../../src/config/config.ts';
import type { Hook } from '../../src/config/hook.ts';
import type { EventBody } from '../../src/model/event.ts';
import type { HookMessage } from '../../src/model/hook.ts';
import { limits } from '../../src/model/limits.ts';
import type { HookSender, HookSent } from '../../src/port/hook.ts';
import { ManualClock } from '../memory/clock.ts';
import { MemoryStore } from '../memory/store.ts';
import { need } from '../rig/need.ts';
import { tempFolder } from '../rig/temp-folder.ts';
import { until } from '../rig/until.ts';
import { owner, settings, task } from '../story.ts';

function configOf(hooks: object): Config {
  const config = need(
    loadConfig({
      root: '/shop',
      env: {},
      flags: { hooks },
      readFile: () => undefined,
    }),
  );
  return config;
}

/** A project with a receiver that records messages and answers as the test says. */
class Yard {
  readonly clock = new ManualClock(1_000_000);
  readonly store = new MemoryStore();
  readonly dir = tempFolder();
  readonly received: HookMessage[] = [];
  answer: (message: HookMessage, late: AbortSignal) => Promise<HookSent> = async () => ({
    ok: true,
  });
  isAlive = (): boolean => false;
  hasTerminal = true;

  get ports() {
    const sender: HookSender = {
      send: async (message, late) => {
        this.received.push(message);
        return this.answer(message, late);
      },
    };
    return {
      root: '/shop',
      env: { SECRET_TOKEN: 'hidden-value' },
      clock: this.clock,
      dir: this.dir,
      store: this.store,
      self: () => owner,
      isAlive: () => this.isAlive(),
      hookSender: async ({ use }: Hook) =>
        use === 'bell' && !this.hasTerminal ? undefined : sender,
    };
  }

  async open(hooks: object, run = 'r1') {
    const seq = await this.store.lastSeq();
    const opened = await openHooks(this.ports, configOf(hooks), {
      run,
      seq: seq.ok ? seq.value : 0,
      records: this.store.records,
    });
    const stored = async (...bodies: readonly EventBody[]): Promise<void> => {
      const events = need(await this.store.append(this.clock.now(), bodies, run));
      for (const event of events) {
        opened.on({ event, records: this.store.records, isRepeated: false });
      }
      await settle();
    };
    return { ...opened, stored };
  }

  get points(): readonly string[] {
    return this.received.map(({ point }) => point);
  }

  file(run = 'r1') {
    return JSON.parse(readFileSync(join(this.dir, 'runs', run, 'hooks.json'), 'utf8')) as {
      readonly settled: boolean;
      readonly hooks: Record<string, { position: number; sent: number; failed: number }>;
    };
  }
}

/** Lets everything that is due happen. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 10; turns += 1) await setImmediate();
}

const started = (run = 'r1') =>
  ({ type: 'run-started', run, owner, settings: settings(), base: 'b' }) as const;
const resumed = { type: 'run-resumed', run: 'r1', owner } as const;
const ended = { type: 'run-ended', run: 'r1', stop: { reason: 'drained' } } as const;
const attempt = (id: string, number = 1) =>
  ({
    type: 'attempt-started',
    run: 'r1',
    id,
    attempt: number,
    slot: 1,
    fence: number,
    agent: 'mine',
    branch: `yard/${id}`,
  }) as const;
const added = (id: string, more = {}) => ({ type: 'task-added', task: task(id, more) }) as const;
const bell = (more = {}) => ({ ring: { use: 'bell', ...more } });
const busy: HookSent = { ok: false, cause: 'busy', again: true };
const wrong: HookSent = { ok: false, cause: 'wrong address', again: false };

describe('hooks of a run', () => {
  test('without any there is nothing to do and no file', async () => {
    const yard = new Yard();
    const hooks = await yard.open({});
    await hooks.stored(started());
    expect(await hooks.end()).toEqual([]);
    expect(() => yard.file()).toThrow('ENOENT');
  });

  test('get events in order, only those of their points', async () => {
    const yard = new Yard();
    const hooks = await yard.open({ ...bell({ on: ['run-ended'] }), all: { use: 'bell' } });
    await hooks.stored(added('a'), started(), attempt('a'), ended);
    expect(await hooks.end()).toEqual([]);
    const of = (name: string) =>
      yard.received.filter(({ hook }) => hook === name).map(({ point }) => point);
    expect(of('ring')).toEqual(['run-ended']);
    expect(of('all')).toEqual(['run-started', 'task-started', 'run-ended']);
    expect(yard.file()).toMatchObject({
      settled: true,
      hooks: { ring: { sent: 1, failed: 0 }, all: { sent: 3 } },
    });
  });

  test('get events of tasks with a type or a label only, if they ask for that', async () => {
    const yard = new Yard();
    const hooks = await yard.open({
      types: { use: 'bell', types: 'bug' },
      labels: { use: 'bell', labels: ['area:web', 'area:api'] },
    });
    await hooks.stored(
      added('a', { type: 'bug' }),
      added('b', { labels: ['area:api'] }),
      started(),
      attempt('a'),
      attempt('b'),
    );
    await hooks.end();
    const got = yard.received.map((one) => [one.hook, 'task' in one && one.task?.id]);
    expect(got.sort()).toEqual([
      ['labels', 'b'],
      ['types', 'a'],
    ]);
  });

  test('have no secrets in their messages', async () => {
    const yard = new Yard();
    const hooks = await yard.open(bell({ on: ['task-started'] }));
    await hooks.stored(added('a', { title: 'Use hidden-value' }), started(), attempt('a'));
    await hooks.end();
    expect(JSON.stringify(yard.received)).not.toContain('hidden-value');
    expect(yard.received).toMatchObject([{ task: { title: expect.stringContaining('Use ') } }]);
  });
});

describe('a receiver in trouble', () => {
  test('gets the same message again after pauses that double', async () => {
    const yard = new Yard();
    let tries = 0;
    yard.answer = async () => {
      tries += 1;
      return tries < 4 ? busy : { ok: true };
    };
    const hooks = await yard.open(bell());
    await hooks.stored(started());
    for (const [pause, count] of [
      [limits.hookPauseMs, 2],
      [2 * limits.hookPauseMs, 3],
      [4 * limits.hookPauseMs, 4],
    ] as const) {
      await yard.clock.advance(pause - 1);
      await settle();
      expect(yard.received).toHaveLength(count - 1);
      await yard.clock.advance(1);
      await settle();
      expect(yard.received).toHaveLength(count);
    }
    expect(new Set(yard.received.map(({ id }) => id)).size).toBe(1);
    expect(await hooks.end()).toEqual([]);
    expect(yard.file().hooks.ring).toMatchObject({
      sent: 1,
      failed: 0,
      recent: [{ point: 'run-started', tries: 4, events: 1 }],
    });
  });

  test('is given up after its retries, or at once if it cannot succeed, and the next event is tried', async () => {
    const yard = new Yard();
    yard.answer = async ({ point }) => (point === 'run-started' ? wrong : { ok: true });
    const hooks = await yard.open(bell());
    await hooks.stored(started(), ended);
    expect(await hooks.end()).toEqual([
      'Hook ring did not deliver 1 event: wrong address. See `ym hooks`.',
    ]);
    expect(yard.points).toEqual(['run-started', 'run-ended']);
    expect(yard.file()).toMatchObject({ settled: true, hooks: { ring: { sent: 1, failed: 1 } } });
    const stubborn = new Yard();
    stubborn.answer = async () => busy;
    const failing = await stubborn.open(bell({ retries: 0 }));
    await failing.stored(started());
    expect(await failing.end()).toEqual([
      'Hook ring did not deliver 1 event: busy. See `ym hooks`.',
    ]);
    expect(stubborn.received).toHaveLength(1);
  });

  test('that hangs holds up no event, no other hook, and the end only for a bounded time', async () => {
    const yard = new Yard();
    yard.answer = async ({ hook }, late) => {
      if (hook === 'ring') {
        await new Promise((resolve) => late.addEventListener('abort', resolve));
        return busy;
      }
      return { ok: true };
    };
    const hooks = await yard.open({ ...bell(), other: { use: 'bell' } });
    await hooks.stored(started(), ended);
    expect(yard.received.filter(({ hook }) => hook === 'other')).toHaveLength(2);
    const end = hooks.end();
    await yard.clock.advance(limits.hookEndMs);
    expect(await end).toEqual([
      'Hook ring has not delivered 2 events yet: the run ended first. The next run delivers what is left. See `ym hooks`.',
    ]);
    expect(yard.file()).toMatchObject({
      settled: false,
      hooks: { ring: { position: 0, sent: 0 }, other: { position: 2, sent: 2 } },
    });
  });
});

describe('many events', () => {
  test('within the time of a digest are one message', async () => {
    const yard = new Yard();
    const hooks = await yard.open(bell({ digest: '1m' }));
    await hooks.stored(added('a'), started());
    await yard.clock.advance(59_999);
    await hooks.stored(attempt('a'));
    expect(yard.received).toEqual([]);
    await yard.clock.advance(1);
    await settle();
    expect(yard.received).toMatchObject([
      { point: 'digest', events: [{ point: 'run-started' }, { point: 'task-started' }] },
    ]);
    await hooks.stored(ended);
    await hooks.end();
    // At the end nothing is held back, and a single event is no digest.
    expect(yard.points).toEqual(['digest', 'run-ended']);
  });

  test('beyond the rate are joined until a minute has passed', async () => {
    const yard = new Yard();
    const hooks = await yard.open(bell({ rate: 2 }));
    await hooks.stored(added('a'), started());
    for (const number of [1, 2, 3, 4]) await hooks.stored(attempt('a', number));
    expect(yard.points).toEqual(['run-started', 'task-started']);
    await yard.clock.advance(limits.hookRateMs);
    await settle();
    expect(yard.points).toEqual(['run-started', 'task-started', 'digest']);
    expect(yard.received[2]).toMatchObject({ events: [{}, {}, {}] });
    await hooks.end();
  });
});

describe('a run that is resumed', () => {
  test('continues after the last event that each hook had settled', async () => {
    const yard = new Yard();
    const first = await yard.open(bell());
    await first.stored(added('a'), started());
    await until(() => yard.file().hooks.ring?.position === 2, 'the position in the file');
    // The process is killed: its last message never arrived, and nobody ends its hooks.
    yard.answer = () => new Promise(() => undefined);
    await first.stored(attempt('a'));
    const lost = yard.received.at(-1);
    yard.received.length = 0;
    yard.answer = async () => ({ ok: true });
    const second = await yard.open({ ...bell(), young: { use: 'bell' } });
    await settle();
    expect(yard.points).toEqual(['task-started']);
    expect(yard.received[0]?.id).toBe(lost?.id);
    await second.stored(resumed, ended);
    await second.end();
    const of = (name: string) =>
      yard.received.filter(({ hook }) => hook === name).map(({ point }) => point);
    expect(of('ring')).toEqual(['task-started', 'run-started', 'run-ended']);
    // A hook that was added meanwhile begins with the resume.
    expect(of('young')).toEqual(['run-started', 'run-ended']);
    expect(yard.file()).toMatchObject({ settled: true, hooks: { ring: { sent: 4 } } });
  });

  test('does not report what is no longer so', async () => {
    const yard = new Yard();
    const first = await yard.open(bell({ on: ['question-asked'] }));
    yard.answer = () => new Promise(() => undefined);
    const of = { run: 'r1', id: 'a', attempt: 1 };
    await first.stored(
      added('a'),
      started(),
      attempt('a'),
      { type: 'worktree-ready', ...of, worktree: { id: 'w', dir: '/w' }, base: 'b' },
      { type: 'turn-started', ...of, turn: 1, slot: 1 },
      { type: 'agent-reported', ...of, turn: 1, call: { id: 'ask', question: 'Which?' } },
      { type: 'turn-ended', ...of, turn: 1, result: { ok: true, tail: '' } },
    );
    expect(yard.points).toEqual(['question-asked']);
    yard.received.length = 0;
    yard.answer = async () => ({ ok: true });
    await yard.store.append(1, [
      { type: 'task-decided', id: 'a', decision: { kind: 'answer', text: 'This one' } },
    ]);
    const second = await yard.open(bell({ on: ['question-asked'] }));
    await second.end();
    expect(yard.received).toEqual([]);
  });

  test('leaves runs alone that are under way, and delivers the rest of a dead one for a new run', async () => {
    const yard = new Yard();
    const dead = await yard.open(bell());
    yard.answer = () => new Promise(() => undefined);
    await dead.stored(added('a'), started());
    yard.received.length = 0;
    yard.answer = async () => ({ ok: true });
    yard.isAlive = () => true;
    const beside = await yard.open(bell(), 'r2');
    await beside.stored(started('r2'));
    expect(yard.received.map((one) => 'run' in one && one.run)).toEqual(['r2']);
    await beside.end();
    yard.isAlive = () => false;
    await yard.store.append(2, [
      { type: 'run-ended', run: 'r1', stop: { reason: 'died' } },
      { type: 'run-ended', run: 'r2', stop: { reason: 'died' } },
    ]);
    yard.received.length = 0;
    const next = await yard.open(bell(), 'r3');
    await next.stored(started('r3'));
    await next.end();
    const got = yard.received.map((one) => ('run' in one ? `${one.run} ${one.point}` : ''));
    expect(got).toEqual(['r1 run-started', 'r1 run-ended', 'r3 run-started']);
    expect(yard.file('r1').settled).toBe(true);
    // Nothing is delivered a second time.
    yard.received.length = 0;
    await (await yard.open(bell(), 'r4')).end();
    expect(yard.received).toEqual([]);
  });

  test('starts at the resume if its file is damaged', async () => {
    const yard = new Yard();
    const first = await yard.open(bell());
    await first.stored(started());
    await first.end();
    yard.received.length = 0;
    writeFileSync(join(yard.dir, 'runs', 'r1', 'hooks.json'), '{ "schema": 1, ');
    const second = await yard.open(bell());
    await second.stored(resumed);
    await second.end();
    expect(yard.points).toEqual(['run-started']);
  });
});

describe('a run that another process drives', () => {
  const hooks = { ...bell({ on: ['run-ended'] }), bad: { use: 'command', command: 'exit 3' } };

  test('rings the bell where it is followed, and tells what its process did not deliver', async () => {
    const yard = new Yard();
    const followed = await followHooks(yard.ports, configOf(hooks), undefined);
    yard.hasTerminal = false;
    yard.answer = async () => wrong;
    const driver = await yard.open(hooks);
    await driver.stored(started(), ended);
    await driver.end();
    expect(yard.received.map(({ hook }) => hook)).toEqual(['bad', 'bad']);
    expect(Object.keys(yard.file().hooks)).toEqual(['bad']);
    yard.received.length = 0;
    yard.answer = async () => ({ ok: true });
    const events = await yard.store.events({});
    for (const event of events.ok ? events.value : []) {
      followed.on({ event, records: yard.store.records, isRepeated: false });
    }
    expect(await followed.end('r1')).toEqual([
      'Hook bad did not deliver 2 events: wrong address. See `ym hooks`.',
    ]);
    expect(yard.received).toMatchObject([{ hook: 'ring', point: 'run-ended' }]);
    // Once it is resumed, only failures since then are told; none if it goes on.
    const again = await followHooks(yard.ports, configOf(hooks), 'r1');
    expect(await again.end('r1')).toEqual([]);
    expect(await followed.end()).toEqual([]);
  });

  test('tells that something is left to deliver', async () => {
    const yard = new Yard();
    yard.answer = () => new Promise(() => undefined);
    await (await yard.open(bell())).stored(started());
    const followed = await followHooks(yard.ports, configOf({}), undefined);
    expect(await followed.end('r1')).toEqual([
      'Hooks have not delivered all yet: the run ended first. The next run delivers what is left. See `ym hooks`.',
    ]);
  });
});
