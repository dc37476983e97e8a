// opencode asks again by itself, whatever it is told, unless the provider says how soon. So its failures that pass have a
// file of their own, in which they wait side by side.
import { expect, it } from 'vitest';
import type { Failure } from '../../../src/model/failure.ts';
import { eachCli } from '../../agents/clis.ts';
import { key, type Played, type Stage, stage } from '../../agents/stage.ts';
import type { Fault } from '../../model-server/fault.ts';

/** Enough for six requests in a minute of pauses, also where the start takes minutes on a busy machine. */
const wallMs = 270_000;

/**
 * Plays a turn until the idle limit ends it. If the limit ended the turn before any output, as on a busy machine, plays it
 * again with a longer limit.
 */
async function playUntilSilent(s: Stage): Promise<Played> {
  for (let idleMs = 12_000; ; idleMs *= 2) {
    const played = await s.play({}, { wallMs, idleMs });
    if (played.out !== '' || idleMs > wallMs / 4) return played;
  }
}

eachCli('a provider that fails for a while', ['opencode'], (name) => {
  it.each([
    ['rate-limit', 'provider-rate-limit'],
    ['server', 'provider-server'],
    ['overloaded', 'provider-server'],
  ] as const)('with %s is understood as %s', async (id, kind) => {
    const headers = { 'retry-after-ms': '1' };
    const s = await stage(name, { turns: [[{ fault: { id } }]], headers });
    const { result, out } = await s.play();
    expect(result, out).toMatchObject({ ok: false, failure: { kind, agent: name } });
    expect(s.server.journal.requests(key).length).toBeGreaterThan(1);
  });

  it('is understood where nothing is said about how long, or that it is long', async () => {
    const resetAt = Math.ceil(Date.now() / 1000) + 7200;
    const cells: readonly (readonly [Fault, Failure['kind']])[] = [
      [{ id: 'cut' }, 'provider-unreachable'],
      [{ id: 'in-stream' }, 'provider-server'],
      // It waits without output until the idle limit ends it; its earlier output names the cause.
      [{ id: 'quota', resetAt }, 'quota-exhausted'],
    ];
    const playing = cells.map(async ([fault]) => {
      const s = await stage(name, { turns: [[{ fault }]] });
      const { result } = await (fault.id === 'quota' ? playUntilSilent(s) : s.play({}, { wallMs }));
      return result.ok ? 'ok' : result.failure.kind;
    });
    expect(await Promise.all(playing)).toEqual(cells.map(([, kind]) => kind));
  }, 300_000);
});
