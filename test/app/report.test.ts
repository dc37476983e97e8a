// The report of a run with more text than a file for people can hold.

import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { reportOn } from '../../src/app/report.ts';
import { attemptDir, runsDir } from '../../src/files/layout.ts';
import { type EventBody, tasksOf } from '../../src/model/event.ts';
import { fail, ok, type Result } from '../../src/model/failure.ts';
import { limits } from '../../src/model/limits.ts';
import { take } from '../../src/model/trouble.ts';
import { type AttemptReport, reportHtml } from '../../src/report/html/run-report.ts';
import { ManualClock } from '../memory/clock.ts';
import { memoryStore } from '../memory/store.ts';
import { logOf } from '../report/fixtures.ts';
import { recordsOf } from '../report/records-of.ts';
import { start } from '../report/story.ts';
import { need } from '../rig/need.ts';
import { tempFolder } from '../rig/temp-folder.ts';

const commit = (letter: string): string => letter.repeat(40);

/** An attempt that was judged alone and in a candidate, and landed. */
const attempt = (id: string): readonly EventBody[] => {
  const of = { run: 'r1', id, attempt: 1 };
  const on = { run: 'r1', candidate: `c-${id}` };
  const entries = [{ id, attempt: 1, commit: commit('c') }];
  const green = { id: 'passed', ms: 5 } as const;
  return [
    { ...of, type: 'worktree-ready', base: commit('b') } as EventBody,
    { ...of, type: 'turn-started', turn: 1, slot: 1 },
    { ...of, type: 'turn-ended', turn: 1, result: { ok: true, tail: '' } },
    { ...of, type: 'work-captured', commit: commit('c'), tree: 't', by: 'agent' },
    {
      ...on,
      type: 'candidate-built',
      parent: commit('b'),
      commit: commit('d'),
      tree: 't',
      entries,
      prefixes: [{ commit: commit('d'), tree: 't' }],
    },
    { ...on, type: 'gate-started', count: 1, commit: commit('d'), tree: 't', slot: 0, tasks: [id] },
    {
      ...on,
      type: 'candidate-judged',
      count: 1,
      verdict: green,
      tree: 't',
      gate: 'g',
      cached: false,
    },
  ];
};

describe('the report of a run', () => {
  let dir: string;

  beforeEach(() => {
    dir = tempFolder();
  });

  function write(folder: string, name: string, content: string | Buffer): void {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, name), content);
  }

  const attemptFolder = (id: string): string => attemptDir({ dir }, 'r1', id, 1);
  const candidateFolder = (id: string): string =>
    join(runsDir({ dir }), 'r1', 'candidates', `c-${id}-1`);

  /** Reads the report of a run with these tasks, whose diffs are all `patch`. */
  async function read(ids: readonly string[], patch: Result<string> = ok('')) {
    const events = logOf(start, ...ids.flatMap(attempt));
    const store = memoryStore();
    recordsOf(events, store.records);
    expect(new Set(events.flatMap(tasksOf)).size).toBe(ids.length);
    const git = { diff: async () => take(patch) };
    const owner = { pid: 1, startedAt: '1', host: 'memory' };
    const alive = { self: () => owner, isAlive: () => true };
    const place = { dir, root: '/shop', env: {} };
    const ports = { store, git, clock: new ManualClock(9_000), ...place, ...alive };
    const seen: number[] = [];
    const report = need(
      await reportOn(ports as unknown as Parameters<typeof reportOn>[0], 'r1', {
        offsetMin: 0,
        onAttempt: (done) => seen.push(done),
      }),
    );
    expect(seen).toHaveLength(ids.length);
    return report;
  }

  const sizeOf = ({ prompts, gates, reviews, diff }: AttemptReport): number =>
    [...prompts, ...gates, ...reviews, ...(diff === undefined ? [] : [diff])].reduce(
      (sum, { text }) => sum + text.length,
      0,
    );

  it('has the end of a huge output and of a huge prompt, and says how much is before it', async () => {
    const line = 'one more line of output\n';
    const huge = `${line.repeat(40_000)}the end`;
    write(attemptFolder('a'), 'gate-1.out', huge);
    write(attemptFolder('a'), 'turn-1.prompt.md', huge);
    const [seen] = (await read(['a'])).attempts;
    for (const text of [...(seen?.gates ?? []), ...(seen?.prompts ?? [])]) {
      expect(text.text.endsWith('the end')).toBe(true);
      expect(text.text.length).toBeLessThanOrEqual(limits.reportTextBytes);
      expect(text.leftOut + text.text.length).toBe(huge.length);
    }
  });

  it('has the beginning of a diff with 20,000 lines, and stays small', async () => {
    const lines = Array.from({ length: 20_000 }, (_, at) => `+line ${at} of a generated file`);
    const patch = `diff --git a/big b/big\n--- a/big\n+++ b/big\n@@ -0,0 +1 @@\n${lines.join('\n')}\n`;
    const report = await read(['a'], ok(patch));
    const diff = report.attempts[0]?.diff;
    expect(diff?.text.startsWith('diff --git a/big b/big\n')).toBe(true);
    expect(diff?.leftOut).toBe(patch.length - limits.reportTextBytes);
    const html = reportHtml(report);
    expect(html).toContain('more bytes are left out.');
    expect(html.length).toBeLessThan(4 * limits.reportTextBytes);
  });

  it('leaves out the texts of further attempts when it is large enough, and says so', async () => {
    const ids = Array.from({ length: 600 }, (_, at) => `task-${at}`);
    for (const id of ids) write(attemptFolder(id), 'turn-1.prompt.md', 'x'.repeat(60_000));
    const { attempts } = await read(ids);
    const total = attempts.reduce((sum, one) => sum + sizeOf(one), 0);
    expect(total).toBeGreaterThan(limits.reportBytes - limits.reportTextBytes);
    expect(total).toBeLessThanOrEqual(limits.reportBytes);
    expect(attempts[0]?.missing).toBeUndefined();
    expect(attempts.at(-1)).toMatchObject({
      prompts: [],
      missing: 'Its texts are left out, because the report is large enough.',
    });
  });

  it('holds no secret, also where a text was cut', async () => {
    const secret = `ghp_${'a1'.repeat(20)}`;
    const around = 'x'.repeat(limits.reportTextBytes - 20);
    write(attemptFolder('a'), 'gate-1.out', `${secret}\n${around}`);
    const report = await read(['a'], ok(`${around}\n${secret}\n${around}`));
    const html = reportHtml(report);
    expect(html).not.toContain(secret.slice(0, 12));
    expect(html).not.toContain(secret.slice(-12));
  });

  it('has the gate output of an old run, whose files are compressed', async () => {
    write(attemptFolder('a'), 'gate-1.out.gz', gzipSync('alone: green'));
    write(attemptFolder('a'), 'turn-1.prompt.md.gz', gzipSync('Do it.'));
    write(candidateFolder('a'), 'gate-1.out.gz', gzipSync('together: green'));
    write(candidateFolder('a'), 'gate-1.err', '');
    const [seen] = (await read(['a'])).attempts;
    expect(seen?.prompts).toMatchObject([{ name: 'turn-1.prompt.md', text: 'Do it.' }]);
    expect(seen?.gates).toEqual([
      { name: 'gate-1.out', text: 'alone: green', leftOut: 0 },
      { name: 'candidate c-a-1: gate-1.out', text: 'together: green', leftOut: 0 },
    ]);
    expect(readdirSync(candidateFolder('a'))).toEqual(['gate-1.err', 'gate-1.out']);
  });

  it('says that files were pruned and that a change is gone', async () => {
    const report = await read(
      ['a'],
      fail({ kind: 'git-failed', args: ['diff'], exit: 128, stderr: '' }),
    );
    const [seen] = report.attempts;
    expect(seen?.missing).toMatch(
      /^The files of run r1 were pruned\. Its change cannot be shown\. /,
    );
    expect(seen?.diff).toBeUndefined();
    expect(reportHtml(report)).toContain('Its change cannot be shown.');
  });
});
