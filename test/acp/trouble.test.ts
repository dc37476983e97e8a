// Agents that break off, hang, or do not want to go. Nothing is left running after any of them.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../rig/until.ts';
import type { Step } from './player.ts';
import { type Played, type Programs, programs, Stage } from './rig.ts';

let built: Programs;
let stage: Stage;
beforeAll(async () => {
  built = await programs();
});
beforeEach(() => {
  stage = new Stage(built);
});
afterEach(() => stage.close());

const done: Step = { result: { stopReason: 'end_turn' } };
const failed = (failure: object) => ({ ok: false, failure });
const seconds = ({ end }: Played): number => (end.endedAt - end.startedAt) / 1000;

describe('an agent that breaks off', () => {
  it('in the middle of its turn has failed with its status and its last words', async () => {
    const { result, events } = await stage.play({
      steps: [{ say: 'I begin.' }, { complain: 'out of luck' }, { exit: 7 }],
    });
    const tail = expect.stringContaining('out of luck') as string;
    expect(result).toMatchObject(failed({ kind: 'agent-exited', exit: 7, tail }));
    expect(events.at(-1)).toEqual({ type: 'gone', exit: 7 });
  });

  it('before its conversation began has failed the same way', async () => {
    const { result } = await stage.play({ exits: { 'session/new': 9 }, steps: [] });
    expect(result).toMatchObject(failed({ kind: 'agent-exited', exit: 9 }));
  });

  it.each(['initialize', 'session/new'])(
    'by never answering %s is given up in time',
    async (method) => {
      const { result } = await stage.play(
        { silent: [method], steps: [] },
        { agent: { startMs: 700 } },
      );
      const cause = 'The agent was not ready within 700 ms after its start.';
      expect(result).toMatchObject(failed({ kind: 'agent-not-started', cause }));
    },
  );

  it('with status 0 and no answer has not done its work', async () => {
    const { result, end } = await stage.play({ steps: [{ say: 'Bye.' }, { exit: 0 }] });
    expect(result).toMatchObject(failed({ kind: 'stream-broken' }));
    expect(result.session).toBe('ses-00000001');
    expect(end.how).toEqual({ id: 'exited', code: 1 });
  });

  it('by closing its output is not waited for', async () => {
    const played = await stage.play({ steps: [{ closeOutput: true }, { hang: true }] });
    expect(played.result).toMatchObject(failed({ kind: 'stream-broken' }));
    expect(seconds(played)).toBeLessThan(20);
  });

  it('with an answer too long to be read is not waited for', async () => {
    const { result } = await stage.play({ steps: [{ long: 20_000_000, as: 'answer' }] });
    expect(result).toMatchObject(
      failed({ kind: 'stream-broken', message: expect.stringContaining('16777216') as string }),
    );
  });

  it('by ending its turn without a word or a deed has not done its work', async () => {
    const { result } = await stage.play({ steps: [done] });
    expect(result).toMatchObject(failed({ kind: 'stream-broken' }));
  });

  it('with an answer that has no reason has not done its work', async () => {
    const { result } = await stage.play({ steps: [{ say: 'x' }, { result: {} }] });
    expect(result).toMatchObject(failed({ kind: 'stream-broken' }));
  });

  it('by speaking another version of the protocol is told from one that failed', async () => {
    const { result } = await stage.play({
      answers: { initialize: { protocolVersion: 2 } },
      steps: [],
    });
    const message = 'The agent speaks version 2 of the protocol, not 1.';
    expect(result).toEqual(failed({ kind: 'agent-error', agent: 'mine', message }));
    expect(stage.heard('session/new')).toEqual([]);
  });

  it('before it is there at all was not started', async () => {
    const { result } = await stage.play({ steps: [] }, { agent: { command: ['/no/such/agent'] } });
    expect(result).toMatchObject(failed({ kind: 'agent-not-started', binary: '/no/such/agent' }));
  });
});

describe('an agent that says why it stopped', () => {
  it.each([
    ['refusal', { kind: 'provider-refused' }],
    ['max_tokens', { kind: 'agent-limit', limit: 'max_tokens' }],
    ['max_turn_requests', { kind: 'agent-limit', limit: 'max_turn_requests' }],
    ['cancelled', { kind: 'agent-error' }],
    ['something_new', { kind: 'agent-error' }],
  ])('by %s', async (stopReason, failure) => {
    const usage = { inputTokens: 1, outputTokens: 2 };
    const { result, end } = await stage.play({
      steps: [{ say: 'COMPLETE_AND_READY_FOR_MERGE' }, { result: { stopReason, usage } }],
    });
    expect(result).toMatchObject({
      ...failed({ ...failure, agent: 'mine' }),
      usage: { output: 2 },
    });
    expect(end.how).toEqual({ id: 'exited', code: 1 });
  });

  it('by an error with the status of its service', async () => {
    const { result } = await stage.play({
      steps: [{ error: { code: 429, message: 'Slow down; try again in 20s' } }],
    });
    expect(result).toMatchObject(
      failed({ kind: 'provider-rate-limit', status: 429, retryAfterMs: 20_000 }),
    );
    expect(result.session).toBe('ses-00000001');
  });

  it('by asking for a sign-in', async () => {
    const { result } = await stage.play({
      errors: { 'session/new': { code: -32000, message: 'Authentication required' } },
      steps: [],
    });
    expect(result).toMatchObject(failed({ kind: 'provider-auth', agent: 'mine' }));
  });
});

describe('an agent that is told to stop', () => {
  const began = () => until(() => stage.heard('session/prompt').length > 0, 'it works');

  it('is told in its own protocol first, and may tidy up', async () => {
    // What the group is sent reaches the agent as well; one that listens to its protocol has time to answer.
    const running = stage.play({ steps: [{ ignoreTerm: true }, { hang: true }] });
    await began();
    stage.interrupt();
    const played = await running;
    expect(played.result).toMatchObject(failed({ kind: 'interrupted' }));
    expect(existsSync(join(stage.dir, 'cancelled'))).toBe(true);
    expect(played.events.at(-1)).toEqual({ type: 'stopped', cancelled: true });
  });

  it('and does not listen is ended all the same, with what it has started', async () => {
    await stage.close();
    stage = new Stage(built, 500);
    const running = stage.play({
      ignoreCancel: true,
      stays: true,
      steps: [
        { ignoreTerm: true },
        { fork: 'away', stubborn: true },
        { say: 'I stay.' },
        { hang: true },
      ],
    });
    await until(() => existsSync(join(stage.dir, 'child.pid')), 'it has a child');
    stage.interrupt();
    const played = await running;
    expect(played.result).toMatchObject(failed({ kind: 'interrupted' }));
    expect(played.end.stragglers).toBeGreaterThan(0);
  });

  it('by nobody but its client leaves in its own time', async () => {
    const running = stage.play({ steps: [{ ignoreTerm: true }, { hang: true }] });
    await began();
    process.kill(clientOf(stage.pid('player.pid')), 'SIGTERM');
    const { result, end } = await running;
    expect(end.how).toEqual({ id: 'signaled', signal: 'SIGTERM' });
    expect(result).toMatchObject(failed({ kind: 'agent-exited', signal: 'SIGTERM' }));
    expect(existsSync(join(stage.dir, 'cancelled'))).toBe(true);
  });

  it('dies with its client', async () => {
    const running = stage.play({ steps: [{ hang: true }] });
    await began();
    process.kill(clientOf(stage.pid('player.pid')), 'SIGKILL');
    const { result } = await running;
    expect(result).toMatchObject(failed({ kind: 'agent-exited', signal: 'SIGKILL' }));
  });
});

function clientOf(player: number): number {
  const [, parent = ''] = readFileSync(`/proc/${player}/stat`, 'utf8').split(') ');
  return Number(parent.split(' ')[1]);
}

describe('an agent that stays', () => {
  it('after its answer is made to go, and its answer counts', async () => {
    const played = await stage.play({
      stays: true,
      steps: [{ ignoreTerm: true }, { say: 'COMPLETE_AND_READY_FOR_MERGE' }, done],
    });
    expect(played.result).toMatchObject({ ok: true, signal: { id: 'complete' } });
    expect(played.end.how).toEqual({ id: 'exited', code: 0 });
    expect(seconds(played)).toBeLessThan(30);
  });

  it.each(['group', 'away'] as const)(
    'through a child of its own (%s) that holds its output does not hold us',
    async (fork) => {
      const played = await stage.play({
        steps: [{ fork, stubborn: true }, { say: 'COMPLETE_AND_READY_FOR_MERGE' }, done],
      });
      expect(played.result).toMatchObject({ ok: true, signal: { id: 'complete' } });
      expect(played.end.stragglers).toBe(1);
      expect(seconds(played)).toBeLessThan(25);
    },
  );

  it('silent crosses the limit of silence', async () => {
    const { result } = await stage.play(
      { steps: [{ say: 'I think.' }, { hang: true }] },
      { limits: { idleMs: 5_000 } },
    );
    expect(result).toMatchObject(failed({ kind: 'limit-crossed', limit: 'idle', value: 5_000 }));
    expect(result.session).toBe('ses-00000001');
  });
});
