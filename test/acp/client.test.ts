// What the client makes of agents, good and bad, through the real supervisor. Nothing is left running after any of them.
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Step } from './player.ts';
import { type Programs, programs, Stage } from './rig.ts';

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
const complete: Step[] = [{ say: 'COMPLETE_AND_READY_FOR_MERGE' }, done];
const permission = (kinds: readonly string[]): Step => ({
  ask: 'session/request_permission',
  params: {
    toolCall: { toolCallId: 't', title: 'rm -rf .' },
    options: kinds.map((kind) => ({ optionId: `id-${kind}`, name: kind, kind })),
  },
});
const write = (path: string, content = 'hi\n'): Step => ({
  ask: 'fs/write_text_file',
  params: { path, content },
});

describe('a turn', () => {
  it('gives the agent the worktree and the prompt, and ends it when it has answered', async () => {
    const { result, end } = await stage.play({ steps: complete });
    expect(result).toMatchObject({ ok: true, signal: { id: 'complete' }, session: 'ses-00000001' });
    expect(end.how).toEqual({ id: 'exited', code: 0 });
    expect(stage.heard().map(({ method }) => method)).toEqual([
      'initialize',
      'session/new',
      'session/prompt',
    ]);
    expect(stage.heard('initialize')[0]).toMatchObject({
      jsonrpc: '2.0',
      params: { protocolVersion: 1, clientCapabilities: { terminal: false } },
    });
    expect(stage.heard('session/new')[0]).toMatchObject({
      params: { cwd: stage.worktree, mcpServers: [] },
    });
    expect(stage.heard('session/prompt')[0]).toMatchObject({
      params: { sessionId: 'ses-00000001', prompt: [{ type: 'text', text: 'Do it.\n' }] },
    });
  });

  it('signs in before the conversation where it is told how', async () => {
    await stage.play({ steps: complete }, { agent: { auth: 'some_login' } });
    expect(stage.heard('authenticate')[0]).toMatchObject({ params: { methodId: 'some_login' } });
    expect(
      stage
        .heard()
        .map(({ method }) => method)
        .slice(1, 3),
    ).toEqual(['authenticate', 'session/new']);
  });

  it('takes for the last word only what comes after the last tool', async () => {
    const { result } = await stage.play({
      steps: [
        { say: 'COMPLETE_AND_READY_FOR_MERGE' },
        { update: { sessionUpdate: 'tool_call', toolCallId: 'a', title: 'test' } },
        { say: 'One test is red' },
        { update: { sessionUpdate: 'tool_call_update', toolCallId: 'a', status: 'failed' } },
        { say: ', so I am not done.' },
        done,
      ],
    });
    expect(result).toMatchObject({ ok: true, signal: { id: 'nothing' } });
    expect(result.ok && result.tail).toBe('One test is red, so I am not done.');
  });

  it('counts tokens and cost, also those that come after the answer', async () => {
    const usage = { inputTokens: 10, outputTokens: 5, cachedReadTokens: 100, totalTokens: 115 };
    const cost = (amount: number, currency = 'USD'): Step => ({
      update: { sessionUpdate: 'usage_update', used: 1, size: 2, cost: { amount, currency } },
    });
    const { result } = await stage.play({
      steps: [cost(0.25), { say: 'x' }, { result: { stopReason: 'end_turn', usage } }, cost(0.5)],
    });
    expect(result.usage).toEqual({
      input: 10,
      cacheRead: 100,
      cacheWrite: 0,
      output: 5,
      costUsd: 0.5,
    });
  });

  it('passes over noise, news of others, unknown news, and a long line of news', async () => {
    const { result, events } = await stage.play({
      steps: [
        { raw: 'warning: this is not JSON' },
        { raw: '{"jsonrpc":"2.0"' },
        { raw: '{"jsonrpc":"2.0","id":99,"result":{}}' },
        { raw: '' },
        { update: { sessionUpdate: 'tomorrows_news' } },
        { raw: '{"jsonrpc":"2.0","method":"_vendor/hello"}' },
        {
          update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'No.' } },
          session: 'another',
        },
        { long: 50_000_000, as: 'update' },
        ...complete,
      ],
    });
    expect(result).toMatchObject({ ok: true, signal: { id: 'complete' } });
    expect(events).toContainEqual({
      type: 'note',
      text: expect.stringMatching(/^A line of 500\d+ bytes was skipped/),
    });
  });

  it('hands on a long text whole, in lines that can be read', async () => {
    const text = `${'x'.repeat(400_000)}\n`;
    const { result, events } = await stage.play(
      { steps: [{ say: text }, ...complete] },
      { limits: { lineBytes: 100_000 } },
    );
    expect(result).toMatchObject({ ok: true, signal: { id: 'complete' } });
    const texts = events.flatMap((event) => (event.type === 'text' ? event.text : []));
    expect(texts.join('')).toBe(`${text}COMPLETE_AND_READY_FOR_MERGE`);
  });
});

describe('what an agent asks for', () => {
  it('is allowed, once if that can be', async () => {
    const { result } = await stage.play({
      steps: [
        permission(['allow_always', 'reject_once', 'allow_once']),
        permission(['reject_once', 'allow_always']),
        ...complete,
      ],
    });
    expect(result).toMatchObject({ ok: true, signal: { id: 'complete' } });
    const chosen = (optionId: string) => ({ outcome: { outcome: 'selected', optionId } });
    expect(stage.answers().map(({ result: answer }) => answer)).toEqual([
      chosen('id-allow_once'),
      chosen('id-allow_always'),
    ]);
  });

  it('is a reason for failing where it cannot be allowed and the agent does not get on', async () => {
    const steps = [permission(['reject_once']), permission([]), { say: 'I may not.' }, done];
    const { result } = await stage.play({ steps });
    expect(result).toMatchObject({
      ok: false,
      failure: { kind: 'permission-denied', agent: 'mine', tools: ['rm -rf .'] },
    });
    expect(stage.answers()[1]).toMatchObject({ result: { outcome: { outcome: 'cancelled' } } });
  });

  it('writes files of the worktree, and none outside of it', async () => {
    const inside = join(stage.worktree, 'deep', 'new.txt');
    const outside = join(stage.dir, 'outside.txt');
    const elsewhere = join(stage.dir, 'elsewhere');
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, join(stage.worktree, 'link'));
    symlinkSync(outside, join(stage.worktree, 'dangling'));
    const { result } = await stage.play({
      steps: [
        write(inside),
        write(outside),
        write(join(stage.worktree, '..', 'outside.txt')),
        write(join(stage.worktree, 'link', 'x.txt')),
        write(join(stage.worktree, 'dangling')),
        write('relative.txt'),
        write(join(stage.worktree, '.git', 'config')),
        ...complete,
      ],
    });
    expect(result.ok).toBe(true);
    expect(readFileSync(inside, 'utf8')).toBe('hi\n');
    expect(stage.answers().map(({ error }) => error !== undefined)).toEqual([
      false,
      ...Array<boolean>(6).fill(true),
    ]);
    expect([outside, join(elsewhere, 'x.txt')].filter((file) => existsSync(file))).toEqual([]);
  });

  it('reads files of the worktree, whole or in part', async () => {
    const file = join(stage.worktree, 'a.txt');
    writeFileSync(file, 'one\ntwo\nthree\n');
    const read = (params: object): Step => ({ ask: 'fs/read_text_file', params: { ...params } });
    const { result } = await stage.play({
      steps: [
        read({ path: file }),
        read({ path: file, line: 2, limit: 1 }),
        read({ path: join(stage.worktree, 'none.txt') }),
        read({ path: join(stage.dir, 'script.json') }),
        ...complete,
      ],
    });
    expect(result.ok).toBe(true);
    expect(stage.answers()).toMatchObject([
      { result: { content: 'one\ntwo\nthree\n' } },
      { result: { content: 'two\n' } },
      { error: { code: -32002 } },
      { error: { message: expect.stringContaining('not in the worktree') } },
    ]);
  });

  it('is refused by name when it is nothing we offer, and the agent goes on', async () => {
    const { result } = await stage.play(
      { steps: [{ ask: 'terminal/create', params: {} }, write('/x'), ...complete] },
      { agent: { sandbox: 'none' } },
    );
    expect(result.ok).toBe(true);
    expect(stage.answers()).toMatchObject([
      { error: { code: -32601, message: 'Method not found: terminal/create' } },
      { error: { code: -32601, message: 'Method not found: fs/write_text_file' } },
    ]);
  });
});

describe('a conversation that goes on', () => {
  const resumed = { session: 'ses-00000001', sessionUsage: usageOf(0.25) };
  const spent: Step = {
    update: { sessionUpdate: 'usage_update', cost: { amount: 0.75, currency: 'USD' } },
  };
  const history: Step[] = [
    { update: { sessionUpdate: 'user_message_chunk', content: { type: 'text', text: 'Do.' } } },
    { say: 'COMPLETE_AND_READY_FOR_MERGE' },
  ];

  it('is loaded, and nothing it said before counts, even where it is told late', async () => {
    const late: Step[] = [{ wait: 100 }, ...history];
    const work: Step[] = [{ say: 'Still at it.' }, spent, done];
    const { result } = await stage.play(
      { replay: history, replayLate: late, steps: [{ wait: 300 }, ...work] },
      { turn: resumed },
    );
    expect(result).toMatchObject({ ok: true, signal: { id: 'nothing' }, session: 'ses-00000001' });
    expect(result.ok && result.tail).toBe('Still at it.');
    expect(result.usage?.costUsd).toBeCloseTo(0.5);
    expect(stage.heard('session/load')[0]).toMatchObject({
      params: { sessionId: 'ses-00000001', cwd: stage.worktree, mcpServers: [] },
    });
    expect(stage.heard('session/new')).toEqual([]);
  });

  it('is resumed instead where the agent can, since that tells nothing again', async () => {
    const agentCapabilities = { loadSession: true, sessionCapabilities: { resume: {} } };
    const { result } = await stage.play(
      { answers: { initialize: { agentCapabilities } }, steps: complete },
      { turn: resumed },
    );
    expect(result).toMatchObject({ ok: true, session: 'ses-00000001' });
    expect(stage.heard().map(({ method }) => method)).toEqual([
      'initialize',
      'session/resume',
      'session/prompt',
    ]);
  });

  it('is lost where the agent does not know it', async () => {
    const gone = { code: -32602, message: 'Session not found: ses-00000001' };
    const { result } = await stage.play(
      { errors: { 'session/load': gone }, steps: complete },
      { turn: resumed },
    );
    expect(result).toMatchObject({
      ok: false,
      failure: { kind: 'session-lost', agent: 'mine', session: 'ses-00000001' },
    });
    expect(stage.heard('session/prompt')).toEqual([]);
  });

  it('is lost where the agent cannot go on with any', async () => {
    const { result } = await stage.play(
      { answers: { initialize: { agentCapabilities: {} } }, steps: complete },
      { turn: resumed },
    );
    expect(result).toMatchObject({ ok: false, failure: { kind: 'session-lost' } });
    expect(result.session).toBeUndefined();
  });
});

function usageOf(costUsd: number) {
  return { input: 0, cacheRead: 0, cacheWrite: 0, output: 0, costUsd };
}

describe('the model', () => {
  const models = { currentModelId: 'small', availableModels: [{ modelId: 'big' }] };

  it('is set where the agent has a choice, and reported', async () => {
    const { result } = await stage.play(
      { answers: { 'session/new': { models } }, steps: complete },
      { turn: { model: 'big' } },
    );
    expect(result).toMatchObject({ ok: true, model: 'big' });
    expect(stage.heard('session/set_model')[0]).toMatchObject({
      params: { sessionId: 'ses-00000001', modelId: 'big' },
    });
  });

  it('that the agent does not know fails the turn before it costs anything', async () => {
    const refused = { code: -32602, message: 'Invalid params: nope' };
    const { result } = await stage.play(
      {
        answers: { 'session/new': { models } },
        errors: { 'session/set_model': refused },
        steps: complete,
      },
      { turn: { model: 'huge' } },
    );
    expect(result).toMatchObject({
      ok: false,
      failure: { kind: 'model-unknown', model: 'huge', message: 'nope' },
    });
    expect(stage.heard('session/prompt')).toEqual([]);
  });

  it('cannot be set where there is no choice, which the log tells', async () => {
    const { result, events } = await stage.play(
      { steps: complete },
      { turn: { model: 'big', reasoning: 'high' } },
    );
    expect(result.ok).toBe(true);
    expect(result.model).toBeUndefined();
    expect(events.filter(({ type }) => type === 'note')).toHaveLength(2);
  });
});
