// What a run does about a provider that fails: it tries again, waits, or says what a person has to do.
import { expect, it } from 'vitest';
import { agentPool, complete, work } from '../../agents/agent-pool.ts';
import { eachCli } from '../../agents/clis.ts';
import type { Fault } from '../../model-server/fault.ts';
import type { Script } from '../../model-server/script.ts';
import type { TestProject } from '../../rig.ts';

const fine: Script = { turns: [[{ run: work }, { say: complete }]] };
const once = (fault: Fault): Script => ({ ...fine, faults: [{ from: 1, times: 1, fault }] });

/** What every ended turn of a task came to, by the kind of its failure. */
async function ends(y: TestProject, id: string): Promise<readonly string[]> {
  return (await y.events()).flatMap((event) =>
    event.type === 'turn-ended' && event.id === id
      ? [event.result.ok ? 'ok' : event.result.failure.kind]
      : [],
  );
}

eachCli('a service that fails once', ['claude', 'codex', 'gemini'], (name) => {
  it('costs a turn, not an attempt', async () => {
    const { project: y } = await agentPool({
      scripts: { [name]: once({ id: 'server' }) },
      tasks: [{ id: 'a' }],
    });
    const run = await y.ym('run', y.plan);
    expect(run.code, `${run.stdout}${run.stderr}`).toBe(0);
    // Where an agent kept no conversation that never had an answer, it begins again.
    const kinds = (await ends(y, 'a')).filter((kind) => kind !== 'session-lost');
    expect(kinds).toEqual(['provider-server', 'ok']);
    expect((await y.task('a')).attempts).toBe(1);
  });
});

eachCli('a rate limit', ['codex'], (name) => {
  it('holds the account up for a while, and nothing is lost', async () => {
    const { project: y } = await agentPool({
      scripts: { [name]: once({ id: 'rate-limit', retryAfterS: 1 }) },
      tasks: [{ id: 'a' }],
    });
    const run = await y.ym('run', y.plan);
    expect(run.code, `${run.stdout}${run.stderr}`).toBe(0);
    expect(await ends(y, 'a')).toEqual(['provider-rate-limit', 'ok']);
    expect((await y.task('a')).attempts).toBe(1);
  });
});

eachCli('a key that is refused', ['claude', 'codex'], (name) => {
  it('ends the run with what to do, and a resumed run goes on', async () => {
    const { project: y, server } = await agentPool({
      scripts: { [name]: { turns: [[{ fault: { id: 'auth' } }]] } },
      tasks: [{ id: 'a' }, { id: 'b' }],
    });
    const run = await y.ym('run', y.plan, '--jobs', '1');
    expect(run.code, `${run.stdout}${run.stderr}`).toBe(3);
    expect(server.journal.requests(name).length).toBeLessThan(4);
    const why = await y.ym('why', 'a');
    expect(why.stdout).toMatch(/sign|key/i);
    expect(why.stdout).toMatch(/ym resume/);

    server.script(name, fine);
    const resumed = await y.ym('resume');
    expect(resumed.code, `${resumed.stdout}${resumed.stderr}`).toBe(0);
    expect([...y.landed()].sort()).toEqual(['a', 'b']);
  });
});

eachCli('a model that is not there', ['codex', 'gemini'], (name) => {
  it('is not asked for again, and the reason names the setting', async () => {
    const { project: y, server } = await agentPool({
      scripts: { [name]: { turns: [[{ fault: { id: 'model' } }]] } },
      tasks: [{ id: 'a' }],
      leaves: ['branches'],
    });
    const run = await y.ym('run', y.plan);
    expect(run.code, `${run.stdout}${run.stderr}`).toBe(1);
    expect(await ends(y, 'a')).toEqual(['model-unknown']);
    expect(server.journal.requests(name)).toHaveLength(1);
    expect((await y.ym('why', 'a')).stdout).toMatch(/model/);
  });
});

eachCli('a conversation that does not fit any more', ['codex'], (name) => {
  it('begins again once, in the same attempt', async () => {
    const { project: y, server } = await agentPool({
      scripts: {
        [name]: {
          turns: [[{ run: work }, { say: 'Not yet.' }], [{ fault: { id: 'too-long' } }]],
        },
      },
      tasks: [{ id: 'a' }],
      config: { retries: 0 },
      leaves: ['branches'],
    });
    await y.ym('run', y.plan);
    const kinds = await ends(y, 'a');
    expect(kinds.slice(0, 3)).toEqual(['ok', 'context-overflow', 'ok']);
    const lengths = server.journal.requests(name).map(({ prompts }) => prompts.length);
    // After the overflow the model sees one prompt again.
    expect(lengths.slice(0, 5)).toEqual([1, 1, 2, 1, 1]);
  });
});

eachCli('a budget of tokens', ['codex'], (name) => {
  it('is crossed by the turns in flight at most', async () => {
    const each = 10_000;
    const usage = { input: each - 1000, cacheRead: 900, cacheWrite: 0, output: 100, reasoning: 0 };
    const jobs = 2;
    const budget = 3 * each;
    const { project: y, server } = await agentPool({
      scripts: {
        [name]: {
          turns: [
            [
              { run: work, usage: { input: 0, cacheRead: 0, output: 0, reasoning: 0 } },
              { say: complete, usage },
            ],
          ],
        },
      },
      tasks: Array.from({ length: 10 }, (_, n) => ({ id: `t${n}` })),
      config: { budget: { tokens: budget }, jobs },
      // Turns that were ended leave their work on a branch; one that was about to begin waits for `ym resume`.
      leaves: ['worktrees', 'branches', 'state', 'kept'],
    });
    const run = await y.ym('run', y.plan);
    expect(run.code, `${run.stdout}${run.stderr}`).toBe(4);
    expect((await y.status()).run?.stop?.reason).toBe('budget-tokens');
    const { input, cacheRead, output } = server.journal.usage(name);
    const spent = input + cacheRead + output;
    expect(spent).toBeGreaterThanOrEqual(budget - each);
    expect(spent).toBeLessThanOrEqual(budget + jobs * each);
  });
});
