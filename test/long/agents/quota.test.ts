// An allowance that is used up in the middle of a run: everything of that account waits, and goes on where it was.

import { expect, it } from 'vitest';
import type { Event } from '../../../src/model/event.ts';
import { agentPool, complete, work } from '../../agents/agent-pool.ts';
import { eachCli } from '../../agents/clis.ts';
import type { Step } from '../../model-server/script.ts';
import { need } from '../../rig/need.ts';
import { until } from '../../rig.ts';

const jobs = 4;
const ids = Array.from({ length: 6 }, (_, n) => `task-${n + 1}`);

/** When the first turn ended for want of allowance, and which turns began after that. */
function afterFirst(events: readonly Event[]): { at: number; turns: readonly Event[] } {
  const first = need(
    events.find(
      (event) =>
        event.type === 'turn-ended' &&
        !event.result.ok &&
        event.result.failure.kind === 'quota-exhausted',
    ),
  );
  const turns = events.filter(({ type, seq }) => type === 'turn-started' && seq > first.seq);
  return { at: first.at, turns };
}

eachCli('an allowance that is used up while four agents work', ['claude'], (name) => {
  it('starts no agent until the time is over, then goes on with every conversation', async () => {
    const { project: y, server } = await agentPool({
      scripts: { [name]: { turns: [] } },
      subscription: true,
      tasks: ids.map((id) => ({ id })),
    });
    const hold: Step = { run: `while ! test -e '${y.stage}/go'; do sleep 0.1; done; ${work}` };
    const turns = [[hold, { say: complete }], [{ say: complete }]];
    server.script(name, { turns });
    const running = y.start('run', y.plan, '--jobs', String(jobs));
    await until(() => server.journal.requests(name).length === jobs, 'four agents at work', 60_000);

    // All four have asked once; whatever they ask next is refused.
    const resetAt = Math.ceil(Date.now() / 1000) + 8;
    const fault = { id: 'quota', resetAt } as const;
    server.script(name, { turns, faults: [{ from: jobs + 1, times: jobs, fault }] });
    y.signal('go');
    await until(() => server.journal.requests(name).length === 2 * jobs, 'four refusals', 30_000);
    await y.untilStatus(({ spend }) => spend.starts === jobs, 'nothing more to start');
    const why = await y.ym('why', 'task-1');
    expect(why.stdout).toMatch(/allowance|quota/i);
    const run = await running.end();
    expect(run.code, `${run.stdout}${run.stderr}`).toBe(0);

    const { turns: later } = afterFirst(await y.events());
    expect(later.filter(({ at }) => at < resetAt * 1000)).toEqual([]);
    expect([...y.landed()].sort()).toEqual(ids);
    const attempts = (await y.status()).tasks.map((task) => task.attempts);
    expect(attempts).toEqual(ids.map(() => 1));
    // Every conversation that was cut short went on: the second prompt came with the first.
    const resumed = server.journal.requests(name).filter(({ prompts }) => prompts.length === 2);
    expect(resumed).toHaveLength(jobs);
    const refused = server.journal.requests(name).filter(({ answered }) => answered === 'quota');
    expect(refused).toHaveLength(jobs);
  });
});

eachCli('an allowance that is used up for longer than a run waits', ['codex'], (name) => {
  it('ends the run, which goes on when it is resumed', async () => {
    const resetAt = Math.ceil(Date.now() / 60_000) * 60 + 7200;
    const { project: y, server } = await agentPool({
      scripts: { [name]: { turns: [[{ fault: { id: 'quota', resetAt } }]] } },
      config: { quota: { wait: '10m' } },
      tasks: [{ id: 'a' }, { id: 'b' }],
    });
    const run = await y.ym('run', y.plan, '--jobs', '1');
    expect(run.code, `${run.stdout}${run.stderr}`).not.toBe(0);
    expect((await y.status()).run?.stop?.reason).toBe('quota');
    expect(server.journal.requests(name)).toHaveLength(1);
    expect((await y.ym('why', 'a')).stdout).toMatch(/ym resume/);

    server.script(name, { turns: [[{ run: work }, { say: complete }]] });
    const resumed = await y.ym('resume');
    expect(resumed.code, `${resumed.stdout}${resumed.stderr}`).toBe(0);
    expect([...y.landed()].sort()).toEqual(['a', 'b']);
  });
});
