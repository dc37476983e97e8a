import { describe, expect, it } from 'vitest';
import { turn } from '../../test/agent/turn.ts';
import type { Turn } from '../port/agent.ts';
import type { HowEnded } from '../port/processes.ts';
import { noState } from '../port/sandbox.ts';
import { type CliAgentOptions, cliAgent } from './cli-agent.ts';
import type { Harness, Json, StreamFacts } from './harness.ts';
import { withWait } from './wait.ts';

const server = { kind: 'provider-server', agent: 'mine', message: 'broken' } as const;

/** An agent whose lines are what there is to hear. */
function harness(more: Partial<Harness> = {}): Harness {
  return {
    use: 'made-up',
    binary: 'made-up',
    capabilities: { sessions: 'ours', usage: 'turn', cost: true, model: true, reasoning: true },
    endSignal: 'SIGINT',
    supported: ['1.0.0', '2.0.0'],
    review: { args: ['--look'], env: {} },
    argv: ({ newSession }) => ['--id', newSession],
    env: () => ({ QUIET: '1', SHARED: 'harness' }),
    read: () => {
      let heard: StreamFacts = { finalText: '' };
      return {
        line: (json: Json) => {
          heard = { ...heard, ...json };
          return [];
        },
        facts: () => heard,
      };
    },
    owns: () => false,
    diagnose: () => undefined,
    state: () => noState,
    signIn: () => ({ signedIn: 'unknown' }),
    ...more,
  };
}

const options: CliAgentOptions = {
  name: 'mine',
  args: [],
  sandbox: 'auto',
  root: '/r',
  base: { PATH: '/nowhere' },
};

const exited = (code: number): HowEnded => ({ id: 'exited', code });

interface Play {
  readonly how?: HowEnded;
  readonly lines?: readonly (object | string)[];
  readonly tail?: string;
  readonly harness?: Partial<Harness>;
  readonly options?: Partial<CliAgentOptions>;
  readonly turn?: Partial<Turn>;
}

function played({ how = exited(0), lines = [], tail = '', ...more }: Play) {
  const agent = cliAgent(harness(more.harness), { ...options, ...more.options });
  const listener = agent.listen(turn(more.turn));
  for (const line of lines) {
    listener.line(typeof line === 'string' ? line : JSON.stringify(line));
  }
  return listener.conclude({ how, startedAt: 0, endedAt: 1000, stragglers: 0 }, tail);
}

const ok = { end: 'ok', finalText: 'Done.\nCOMPLETE_AND_READY_FOR_MERGE' };
const facts = {
  session: 's-1',
  model: 'm-1',
  usage: { input: 1, cacheRead: 2, cacheWrite: 3, output: 4 },
};

describe('the end of a turn', () => {
  it('is complete when the stream ended well with the completion line', () => {
    expect(played({ lines: [{ ...ok, ...facts }] })).toEqual({
      ok: true,
      tail: ok.finalText,
      signal: { id: 'complete' },
      ...facts,
    });
  });

  it('has the agent’s signal, or nothing', () => {
    const say = (finalText: string) => played({ lines: [{ end: 'ok', finalText }] });
    expect(say('Well.')).toEqual({ ok: true, tail: 'Well.', signal: { id: 'nothing' } });
    expect(say('CLAIM(T-2)')).toMatchObject({ signal: { id: 'claim', ids: ['T-2'] } });
    expect(say('ASK: Which one?')).toMatchObject({ signal: { id: 'ask', question: 'Which one?' } });
    expect(say('No key.\n__DONE__')).toEqual({
      ok: false,
      failure: { kind: 'agent-gave-up', message: 'No key.' },
    });
  });

  it('needs no signal if the exit status is enough', () => {
    const lines = [{ end: 'ok', finalText: 'Well.\n__DONE__' }];
    expect(played({ lines, options: { done: 'exit' } })).toEqual({
      ok: true,
      tail: 'Well.\n__DONE__',
    });
  });

  it.each([
    [{ id: 'interrupted' }, { kind: 'interrupted' }],
    [{ id: 'lost' }, { kind: 'agent-lost' }],
    [
      { id: 'limit', limit: 'idle', value: 5 },
      { kind: 'limit-crossed', limit: 'idle' },
    ],
    [
      { id: 'not-started', cause: 'x' },
      { kind: 'agent-not-started', cause: 'x' },
    ],
  ] as const)('is %j before anything that was said, but the facts stay', (how, failure) => {
    for (const end of ['ok', server]) {
      expect(played({ how, lines: [{ ...ok, ...facts, end }] })).toMatchObject({
        ok: false,
        failure,
        ...facts,
      });
    }
  });

  it('is that of the stream if the process only lingered', () => {
    const how: HowEnded = { id: 'limit', limit: 'linger', value: 5 };
    expect(played({ how, lines: [ok] })).toMatchObject({ ok: true, signal: { id: 'complete' } });
    expect(played({ how, lines: [{ end: server }] })).toMatchObject({ failure: server });
  });

  it('is the failure of the stream before the exit status, good or bad', () => {
    const lines = [{ ...ok, ...facts, end: server }];
    for (const code of [0, 1, 137]) {
      expect(played({ how: exited(code), lines })).toEqual({
        ok: false,
        failure: server,
        ...facts,
      });
    }
  });

  it('is that it was killed, even if it reports an error while dying', () => {
    const end = { kind: 'agent-error', agent: 'x', message: 'aborted_streaming' } as const;
    const failure = { kind: 'agent-exited', exit: 143, signal: 'SIGTERM' };
    const how: HowEnded = { id: 'signaled', signal: 'SIGTERM' };
    expect(played({ how, lines: [{ end }] })).toMatchObject({ ok: false, failure });
    const diagnose = () => server;
    expect(played({ how, harness: { diagnose } })).toMatchObject({ ok: false, failure });
  });

  it('is the exit status before a stream that ended well', () => {
    const how = exited(7);
    expect(played({ how, lines: [ok], tail: `${JSON.stringify(ok)}\nSegfault\n` })).toEqual({
      ok: false,
      failure: { kind: 'agent-exited', exit: 7, tail: `${ok.finalText}\nSegfault\n` },
    });
  });

  it('is diagnosed only if the stream has no end', () => {
    const diagnose = () => server;
    const how = exited(1);
    expect(played({ how, harness: { diagnose } })).toEqual({ ok: false, failure: server });
    expect(played({ lines: [ok], harness: { diagnose } })).toMatchObject({ ok: true });
  });

  it('is a broken stream if the process exited cleanly without an end', () => {
    const lines = [{ finalText: 'COMPLETE_AND_READY_FOR_MERGE' }];
    expect(played({ lines, tail: '{"finalText":"x"}\nlast words\n' })).toEqual({
      ok: false,
      failure: { kind: 'stream-broken', agent: 'mine', message: 'last words' },
    });
  });

  it('has a reset time computed from a delay', () => {
    const quota = { kind: 'quota-exhausted', agent: 'mine', message: 'm' } as const;
    const end = withWait(quota, { afterMs: 500 });
    expect(played({ lines: [{ end }] })).toEqual({
      ok: false,
      failure: { ...quota, resetAt: 1500 },
    });
  });

  it('has no session if it is lost', () => {
    const end = { kind: 'session-lost', agent: 'mine', message: 'gone', session: 's-1' };
    expect(played({ lines: [{ ...facts, end }] }).session).toBeUndefined();
  });

  it('passes over lines that are not of the stream', () => {
    const lines = ['', 'npm warn', '{"end":', ok, '[]', 'bye'];
    expect(played({ lines })).toMatchObject({ ok: true, signal: { id: 'complete' } });
  });

  it('quotes only readable output', () => {
    const tail = '"cut":{"off":"x"}}\n{"type":"x"}\nnpm warn old\n{"type":"y"}\nboom\n';
    expect(played({ how: exited(1), lines: [{ finalText: 'I try.' }], tail })).toMatchObject({
      failure: { kind: 'agent-exited', tail: 'I try.\nnpm warn old\nboom\n' },
    });
  });

  it('is without secrets', () => {
    const redact = (text: string) => text.replaceAll('hunter2', '[redacted]');
    const lines = [{ end: 'ok', finalText: 'ASK: Is hunter2 the key?' }];
    expect(played({ lines, options: { redact } })).toMatchObject({
      tail: 'ASK: Is [redacted] the key?',
      signal: { question: 'Is [redacted] the key?' },
    });
  });
});

describe('a turn that reviews', () => {
  const review = { purpose: 'review', session: 's-0' } as const;
  const verdict = 'Well done.\nVERDICT: APPROVED';

  it('has its last message as its answer, and no conversation', () => {
    const { model, usage } = facts;
    const lines = [{ end: 'ok', finalText: verdict, ...facts }];
    expect(played({ lines, turn: review })).toEqual({
      ok: true,
      tail: verdict,
      answer: verdict,
      model,
      usage,
    });
  });

  it.each([
    '__DONE__',
    'COMPLETE_AND_READY_FOR_MERGE',
    'ASK: Why?',
    'CLAIM(T-2)',
    '```follow_up\n["More"]\n```',
  ])('says nothing by the word of the protocol %j', (finalText) => {
    const lines = [{ end: 'ok', finalText }];
    expect(played({ lines, turn: review })).toEqual({
      ok: true,
      tail: finalText,
      answer: finalText,
    });
  });

  it('is not held up by tools that it was refused', () => {
    const lines = [{ end: 'ok', finalText: verdict, denied: ['Edit'] }];
    expect(played({ lines, turn: review })).toMatchObject({ ok: true, answer: verdict });
  });

  it('has no answer after any failure', () => {
    const said = { finalText: verdict, ...facts };
    const wrong = [
      played({ lines: [{ ...said, end: server }], turn: review }),
      played({ lines: [{ ...said, end: 'ok' }], how: exited(1), turn: review }),
      played({ lines: [said], turn: review }),
      played({ lines: [{ ...said, end: 'ok' }], how: { id: 'interrupted' }, turn: review }),
    ];
    for (const result of wrong) {
      expect(result).toMatchObject({ ok: false, usage: facts.usage });
      expect(result).not.toHaveProperty('answer');
      expect(result).not.toHaveProperty('session');
    }
  });

  it('keeps the end of a long answer, from the beginning of a line on', () => {
    const finalText = `${'ä'.repeat(100)}\n`.repeat(1_000) + verdict;
    const result = played({ lines: [{ end: 'ok', finalText }], turn: review });
    expect(result.answer).toMatch(/^ä{100}\n[\s\S]*\nVERDICT: APPROVED$/);
    const bytes = Buffer.byteLength(result.answer ?? '');
    expect(bytes).toBeLessThanOrEqual(64 * 1024);
    expect(bytes).toBeGreaterThan(63 * 1024);
    expect(result.ok && result.tail.length).toBeLessThanOrEqual(4096);
  });

  it('is without secrets', () => {
    const redact = (text: string) => text.replaceAll('hunter2', '[redacted]');
    const lines = [{ end: 'ok', finalText: 'The key is hunter2.' }];
    expect(played({ lines, turn: review, options: { redact } }).answer).toBe(
      'The key is [redacted].',
    );
  });

  it('has an answer only in a review', () => {
    expect(played({ lines: [ok] })).not.toHaveProperty('answer');
  });

  it('gets its purpose, but no session', () => {
    const seen = harness({ argv: ({ session }) => [session ?? 'none'] });
    const given = turn({ ...review, step: 'critique', round: 2, again: 3 });
    const { argv, env } = cliAgent(seen, options).launch(given);
    expect(argv).toEqual(['made-up', 'none']);
    expect(env).toMatchObject({
      YARD_PURPOSE: 'review',
      YARD_STEP: 'critique',
      YARD_ROUND: '2',
      YARD_AGAIN: '3',
    });
    expect(Object.keys(cliAgent(seen, options).launch(turn()).env)).not.toContain('YARD_PURPOSE');
  });
});

describe('tools that were refused', () => {
  const denied = ['Bash', 'Edit', 'Bash'];
  const failure = {
    kind: 'permission-denied',
    agent: 'mine',
    message: 'I may not.',
    tools: ['Bash', 'Edit'],
  };

  it('are why a turn came to nothing', () => {
    const lines = [{ end: 'ok', finalText: 'I may not.', denied, ...facts }];
    expect(played({ lines })).toEqual({ ok: false, failure, ...facts });
    expect(played({ lines, options: { done: 'exit' } })).toEqual({ ok: false, failure, ...facts });
    const gaveUp = [{ end: 'ok', finalText: 'I may not.\n__DONE__', denied }];
    expect(played({ lines: gaveUp })).toMatchObject({ failure: { kind: 'permission-denied' } });
  });

  it('do not matter to an agent that got on without them', () => {
    expect(played({ lines: [{ ...ok, denied }] })).toMatchObject({ signal: { id: 'complete' } });
    const asks = [{ end: 'ok', finalText: 'ASK: May I?', denied }];
    expect(played({ lines: asks })).toMatchObject({ ok: true, signal: { id: 'ask' } });
  });
});

describe('the last word', () => {
  it('is the line that ends the stream', () => {
    const listener = cliAgent(harness(), options).listen(turn());
    expect(listener.line('{"finalText":"x"}')).toBe(false);
    expect(listener.line('not of the stream')).toBe(false);
    expect(listener.line('{"end":"ok"}')).toBe(true);
    expect(listener.line('not of the stream')).toBe(true);
  });
});

describe('the start of a turn', () => {
  it('has the adapter’s arguments, and the profile’s environment takes precedence', () => {
    const agent = cliAgent(harness(), { ...options, env: { SHARED: 'profile' } });
    expect(agent.launch(turn())).toMatchObject({
      argv: ['made-up', '--id', turn().newSession],
      env: { QUIET: '1', SHARED: 'profile', YARD_TASK: 'T-1' },
      endSignal: 'SIGINT',
    });
  });

  it('asks for signals unless the exit is enough', () => {
    expect(cliAgent(harness(), options).signals).toBeDefined();
    expect(cliAgent(harness(), { ...options, done: 'exit' }).signals).toBeUndefined();
  });

  it('takes a binary with a slash relative to the repository', () => {
    const agent = cliAgent(harness(), { ...options, binary: 'tools/agent' });
    expect(agent.launch(turn()).argv[0]).toBe('/r/tools/agent');
  });

  it('needs the binary', async () => {
    expect(await cliAgent(harness(), options).check()).toEqual({
      ok: false,
      failure: {
        kind: 'agent-missing',
        agent: 'mine',
        binary: 'made-up',
        cause: 'made-up is not on PATH',
      },
    });
  });
});

describe('the health of an agent', () => {
  const probed = async (binary: string, more: Partial<Harness> = {}) => {
    const given = { ...options, root: '/', base: { PATH: '/usr/bin:/bin' }, binary };
    const agent = cliAgent(harness(more), given);
    await agent.check();
    return agent.probe();
  };

  it('has its version, and whether that was ever tried', async () => {
    const { version = '' } = await probed(process.execPath);
    expect(version).toBe(process.versions.node);
    const supported: [string, string] = [version, '99.0.0'];
    expect(await probed(process.execPath, { supported })).toEqual({
      version,
      supported: `${version} or newer, below 99.0.0`,
      fits: true,
      signedIn: 'unknown',
    });
    expect(await probed(process.execPath)).toMatchObject({ fits: false });
  });

  it('omits an unknown version', async () => {
    const health = await probed('true');
    expect(health).not.toHaveProperty('version');
    expect(health).not.toHaveProperty('fits');
  });

  it('looks for a sign-in in the profile’s environment too', async () => {
    const signIn: Harness['signIn'] = (env) => ({ signedIn: env.KEY === 'k' ? 'yes' : 'no' });
    const given = { ...options, base: {}, env: { KEY: 'k' }, binary: '/bin/true' };
    expect(await cliAgent(harness({ signIn }), given).probe()).toMatchObject({ signedIn: 'yes' });
  });
});
