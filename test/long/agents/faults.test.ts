// What the real agents make of a provider that fails them, and what the adapters make of that.
import { describe, expect, it } from 'vitest';
import { defined } from '../../../src/model/defined.ts';
import type { Failure } from '../../../src/model/failure.ts';
import { type CliName, eachCli } from '../../agents/clis.ts';
import { key, type Played, stage } from '../../agents/stage.ts';
import type { Fault } from '../../model-server/fault.ts';
import type { Script } from '../../model-server/script.ts';

type Kind = Failure['kind'];

const complete = 'All done.\nCOMPLETE_AND_READY_FOR_MERGE';
const resetAt = Math.ceil(Date.now() / 60_000) * 60 + 7200;
const always = (fault: Fault): Script => ({ turns: [[{ fault }]] });

/** The failure that a turn must end with; what the agent printed shows where it is another. */
function expectFailure({ result, out }: Played, kind: Kind, status?: number): Failure {
  if (result.ok) throw new Error(`The turn went well:\n${out}`);
  expect(result.failure, out.slice(-4000)).toMatchObject(defined({ kind, status }));
  return result.failure;
}

/** Faults after which every agent ends at once where it is told not to try again by itself. */
const plain: readonly (readonly [Fault['id'], Kind])[] = [
  ['auth', 'provider-auth'],
  ['forbidden', 'provider-auth'],
  ['model', 'model-unknown'],
  ['bad-request', 'provider-refused'],
  ['too-long', 'context-overflow'],
  ['credit', 'provider-billing'],
];

/** Faults that pass: opencode tries again for more than a minute, whatever it is told. */
const passing: readonly (readonly [Fault['id'], Kind])[] = [
  ['rate-limit', 'provider-rate-limit'],
  ['server', 'provider-server'],
  ['overloaded', 'provider-server'],
  ['in-stream', 'provider-server'],
  ['cut', 'provider-unreachable'],
  ['html', 'provider-server'],
  ['broken-frames', 'provider-server'],
];

/** Where an agent says less than others, or something else. */
const otherwise: Partial<Record<`${CliName} ${Fault['id']}`, Kind>> = {
  // It only says that the stream ended before its time.
  'codex html': 'provider-unreachable',
  'codex broken-frames': 'provider-unreachable',
  'gemini in-stream': 'stream-broken',
};

const expected = (name: CliName, fault: Fault['id'], usual: Kind): Kind =>
  otherwise[`${name} ${fault}`] ?? usual;

const cells: Readonly<Record<CliName, readonly (readonly [Fault['id'], Kind])[]>> = {
  claude: [...plain, ...passing],
  codex: [...plain, ...passing],
  gemini: [...plain.slice(0, 3), ...passing.slice(0, 5)],
  opencode: plain.slice(0, 3),
};

eachCli('a provider that fails', ['claude', 'codex', 'gemini', 'opencode'], (name) => {
  it.each(cells[name])('with %s is understood as %s', async (id, usual) => {
    const s = await stage(name, always({ id } as Fault));
    const played = await s.play({}, { idleMs: 60_000 });
    const failure = expectFailure(played, expected(name, id, usual));
    expect(failure).toMatchObject({ agent: name, message: expect.stringMatching(/\S/) });
    expect(s.server.journal.requests(key).length).toBeLessThan(8);
  });
});

eachCli('a rate limit with a time', ['claude', 'codex', 'opencode', 'gemini'], (name) => {
  it('is one that passes', async () => {
    const s = await stage(name, always({ id: 'rate-limit', retryAfterS: 1 }));
    expectFailure(await s.play({}, { idleMs: 60_000 }), 'provider-rate-limit');
  });
});

eachCli('an allowance that is used up', ['claude', 'codex', 'gemini'], (name) => {
  it('is told from a rate limit, with the time it lasts where the agent says it', async () => {
    const s = await stage(name, always({ id: 'quota', resetAt }), { subscription: true });
    const failure = expectFailure(await s.play(), 'quota-exhausted');
    if (name !== 'gemini') expect(failure).toMatchObject({ resetAt: resetAt * 1000 });
  });
});

eachCli('one failure, then none', ['claude', 'codex', 'gemini'], (name) => {
  it('is no failure where the agent tries again', async () => {
    const script: Script = {
      turns: [[{ say: complete }]],
      faults: [{ from: 1, times: 1, fault: { id: 'server' } }],
    };
    const s = await stage(name, script, { retries: 2 });
    const { result, out } = await s.play();
    expect(result, out).toMatchObject({ ok: true, signal: { id: 'complete' } });
    expect(s.server.journal.requests(key).map(({ answered }) => answered)).toEqual([
      'server',
      'text',
    ]);
  });
});

eachCli('a failure after the work was done', ['claude', 'codex', 'gemini', 'opencode'], (name) => {
  it('is a failure, and the work is there', async () => {
    const s = await stage(name, {
      turns: [[{ run: 'echo kept > kept.txt' }, { fault: { id: 'auth' } }]],
    });
    const played = await s.play();
    expectFailure(played, 'provider-auth');
    expect(s.has('kept.txt')).toBe(true);
    // What was used before is known, but for codex, which then says nothing of it.
    const { input } = s.server.journal.usage(key);
    if (name !== 'codex') expect(played.result.usage).toMatchObject({ input });
  });
});

describe('the table of failures', () => {
  it('names no exception that is not tested', () => {
    const tested = Object.entries(cells).flatMap(([name, of]) => of.map(([id]) => `${name} ${id}`));
    expect(tested).toEqual(expect.arrayContaining(Object.keys(otherwise)));
  });
});
