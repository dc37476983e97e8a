// The web server of a large project with many live outputs. Its own processor time is measured, so that a busy machine
// does not matter.
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { EventBody } from '../../../src/model/event.ts';
import { tell } from '../../rig/past.ts';
import { testProject } from '../../rig.ts';
import { settings, task } from '../../story.ts';
import { TestStream } from '../../web/rig.ts';

const [tasks, live, seconds] = [1_000, 32, 4];
const run = 'r1';
const ids = Array.from({ length: tasks }, (_, at) => `t${at}`);

function events(base: string): readonly EventBody[] {
  const owner = { pid: 999_999, startedAt: 'never', host: 'nowhere' };
  const chosen = settings({ jobs: live, agent: 'claude' });
  const working = ids.slice(0, live).flatMap((id, at): EventBody[] => {
    const of = { run, id, attempt: 1 };
    const slot = at + 1;
    return [
      {
        type: 'attempt-started',
        ...of,
        slot,
        fence: 1,
        agent: 'claude',
        branch: `yard/r1/${id}-1`,
      },
      { type: 'worktree-ready', ...of, worktree: { id, dir: `/w/${id}` }, base },
      { type: 'turn-started', ...of, turn: 1, slot },
    ];
  });
  return [
    ...ids.map((id, at): EventBody => {
      const after = at < live ? [] : [`t${at - live}`];
      return { type: 'task-added', task: task(id, { after, body: 'x'.repeat(200) }) };
    }),
    { type: 'run-started', run, owner, settings: chosen, base },
    ...working,
  ];
}

/** A sentence and a tool call of an agent, with its result, as the agent prints them. */
function lines(at: number): string {
  const usage = { input_tokens: 1, output_tokens: 1 };
  const of = { type: 'message', role: 'assistant', model: 'm', usage };
  const input = { command: `npm test -- --grep 'case ${at}'`, description: 'x'.repeat(200) };
  const text = { type: 'text', text: `Now case ${at}: ${'word '.repeat(40)}` };
  const call = { type: 'tool_use', id: `toolu_${at}`, name: 'Bash', input };
  const result = { type: 'tool_result', tool_use_id: `toolu_${at}`, content: 'ok\n'.repeat(50) };
  return [
    { type: 'assistant', message: { ...of, id: `m${at}`, content: [text, call] }, session_id: 's' },
    { type: 'user', message: { role: 'user', content: [result] }, session_id: 's' },
  ]
    .map((one) => `${JSON.stringify(one)}\n`)
    .join('');
}

/** Processor time of a process in milliseconds. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

test.runIf(process.platform === 'linux')(
  'follows 32 outputs of a project with 1,000 tasks with a small part of a core',
  async () => {
    const y = testProject({ leaves: ['state'] });
    await tell(y, events(y.tip()));
    const file = (id: string) => join(y.root, '.git/yardmaster/runs', run, 'attempts', `${id}-1`);
    const start = `${JSON.stringify({ type: 'system', subtype: 'init', session_id: 's', model: 'm' })}\n`;
    for (const id of ids.slice(0, live)) {
      mkdirSync(file(id), { recursive: true });
      appendFileSync(join(file(id), 'turn-1.out'), start);
    }
    const ui = y.start('ui', '--no-open');
    await ui.until('Ctrl-C');
    const [, base = '', token = ''] = /(http:\S+)\/\?token=(\S+)/.exec(ui.stdout()) ?? [];
    const headers = { authorization: `Bearer ${token}` };
    const aborted = new AbortController();
    const open = async (path: string) =>
      new TestStream(await fetch(`${base}${path}`, { headers, signal: aborted.signal }), aborted);
    const view = await open('/api/stream');
    expect((await view.next('view'))?.data.tasks).toHaveLength(tasks);
    const wanted = ids.slice(0, live).map((id) => `tail=${id}`);
    const tails = await open(`/api/tails?${wanted.join('&')}`);
    let seen = 0;
    const reading = (async () => {
      for (
        let one = await tails.next('entries');
        one !== undefined;
        one = await tails.next('entries')
      )
        seen += (one.data.entries as unknown[]).length;
    })().catch(() => undefined);
    await delay(1_000);
    const before = cpuMs(ui.pid);
    const begun = performance.now();
    for (let at = 0; at < seconds * 4; at += 1) {
      for (const id of ids.slice(0, live)) appendFileSync(join(file(id), 'turn-1.out'), lines(at));
      await delay(250);
    }
    const share = (cpuMs(ui.pid) - before) / (performance.now() - begun);
    const asked: number[] = [];
    for (let at = 0; at < 10; at += 1) {
      const from = cpuMs(ui.pid);
      const answers = Array.from({ length: 10 }, async () =>
        (await fetch(`${base}/api/view`, { headers })).text(),
      );
      await Promise.all(answers);
      asked.push((cpuMs(ui.pid) - from) / 10);
    }
    const ms = asked.toSorted((a, b) => a - b)[5] ?? 0;
    expect(seen).toBeGreaterThan(live * seconds * 4);
    expect(share).toBeLessThan(0.15);
    expect(ms).toBeLessThan(30);
    aborted.abort();
    await reading;
    ui.signal('SIGTERM');
    expect(await ui.end()).toMatchObject({ code: 0 });
  },
);
