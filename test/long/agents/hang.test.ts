// Agents that hang before, in the middle of and after their work are ended within their limits, with all they started.
import { expect, it } from 'vitest';
import { cliNames, eachCli } from '../../agents/clis.ts';
import { key, type Played, type Stage, stage } from '../../agents/stage.ts';
import { until } from '../../rig/until.ts';

/** Longer than each of them takes until it asks its provider, on a busy machine too. */
const idleMs = { claude: 3000, codex: 3000, gemini: 10_000, opencode: 40_000 } as const;
/** A tool that no agent takes for a mere sleep, with a child of its own that leaves the group. */
const forever =
  "echo at work > begun.txt; setsid node -e 'setInterval(() => {}, 1000)' & node -e 'setInterval(() => {}, 1000)'";

/** Ended by a limit, within it and the time to end, and nothing of it lives on. */
function expectEnded(s: Stage, { result, end, out }: Played, limit: string): void {
  expect(result, out.slice(-2000)).toMatchObject({
    ok: false,
    failure: { kind: 'limit-crossed', phase: 'agent', limit },
  });
  expect(end.endedAt - end.startedAt).toBeLessThan(60_000);
  expect(s.alive()).toEqual([]);
}

eachCli('an agent whose provider', cliNames, (name) => {
  it('never answers is ended when it was silent for long enough', async () => {
    const s = await stage(name, { turns: [[{ fault: { id: 'never' } }]] });
    expectEnded(s, await s.play({}, { idleMs: idleMs[name] }), 'idle');
    expect(s.server.journal.requests(key)).toHaveLength(1);
  });
});

eachCli('an agent whose provider', ['claude', 'codex', 'gemini'], (name) => {
  it('falls silent within an answer is ended too', async () => {
    const s = await stage(name, { turns: [[{ fault: { id: 'stall' } }]] });
    expectEnded(s, await s.play({}, { idleMs: idleMs[name] }), 'idle');
  });
});

eachCli('an agent whose tool', cliNames, (name) => {
  it('never ends is ended with it, and with what that started', async () => {
    const s = await stage(name, { turns: [[{ run: forever }, { say: 'It ended.' }]] });
    const playing = s.play({}, { wallMs: name === 'opencode' ? 45_000 : 8000 });
    await until(() => s.has('begun.txt'), 'the tool to begin', 45_000);
    const tools = (): number =>
      s.alive().filter((line) => /^\d+ node .*setInterval/.test(line)).length;
    await until(() => tools() === 2, 'the tool and its child');
    expectEnded(s, await playing, 'wall');
  });
});

eachCli('an agent that has said its last word', ['claude', 'codex'], (name) => {
  it('leaves nothing behind that it had started', async () => {
    const behind = "setsid node -e 'setInterval(() => {}, 1000)' > /dev/null 2>&1 & echo left";
    const s = await stage(name, {
      turns: [[{ run: behind }, { say: 'Done.\nCOMPLETE_AND_READY_FOR_MERGE' }]],
    });
    const { result, out } = await s.play({}, { wallMs: 60_000, lingerMs: 3000 });
    expect(result, out).toMatchObject({ ok: true, signal: { id: 'complete' } });
    expect(s.alive()).toEqual([]);
  });
});
