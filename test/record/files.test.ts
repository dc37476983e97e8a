import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { runFiles } from '../../src/files/writer.ts';
import { outcomeOf } from '../../src/model/trouble.ts';
import { writeWhole } from '../../src/process/whole-file.ts';
import { tempFolder } from '../rig/temp-folder.ts';
import { until } from '../rig/until.ts';
import {
  added,
  built,
  captured,
  failed,
  judged,
  landed,
  ready,
  red,
  started,
  trouble,
  turn,
  turned,
} from './life.ts';
import { claimed, Project } from './project.ts';
import { attemptSchema, batchSchema, manifestSchema, runSchema } from './published.ts';

let dir: string;
beforeEach(() => {
  dir = tempFolder();
});

const json = (...path: string[]): unknown => JSON.parse(readFileSync(join(dir, ...path), 'utf8'));

describe('The files of a run', () => {
  it('exist from its first event, even with one slot', async () => {
    const project = new Project(dir);
    project.happens(started('r', 1));
    await project.files.flush();
    expect(readdirSync(join(dir, 'r')).sort()).toEqual(['manifest.json', 'run.json']);
    expect(json('r', 'run.json')).toMatchObject({
      schema: 1,
      id: 'r',
      startedAt: 10,
      lastUpdatedAt: 10,
      jobs: 1,
      target: 'main',
      base: 'base',
      agent: 'scripted',
      scope: { kind: 'ready' },
      starts: 0,
      landed: 0,
    });
    expect(json('r', 'manifest.json')).toEqual({
      schema: 1,
      run: 'r',
      jobs: 1,
      startedAt: 10,
      slots: [{ slot: 1, attempts: 0, landed: 0, failed: 0, ms: 0 }],
    });
  });

  it('hold every batch of tasks, and none in a run with one slot', async () => {
    for (const [run, jobs] of [
      ['r', 2],
      ['one', 1],
    ] as const) {
      const project = new Project(dir);
      const of = { run, id: 'a', attempt: 1 };
      project.happens(
        added('a'),
        started(run, jobs),
        claimed(run, 'a', 1),
        ready(run, 'a'),
        turn(run, 'a'),
        { ...of, type: 'agent-reported', turn: 1, call: { id: 'next', ids: ['b', 'c'] } },
        turned(run, 'a'),
      );
      await project.files.flush();
    }
    expect(batchSchema.parse(json('r', 'batch-001.json'))).toMatchObject({
      schema: 1,
      run: 'r',
      number: 1,
      source: 'agent',
      tasks: ['b', 'c'],
      after: { id: 'a', attempt: 1, turn: 1 },
    });
    expect(readdirSync(join(dir, 'one')).sort()).toEqual(['attempts', 'manifest.json', 'run.json']);
  });

  it('show an attempt as unfinished until it has ended', async () => {
    const project = new Project(dir);
    const file = ['r', 'attempts', 'a-1', 'attempt.json'];
    project.happens(added('a'), started('r'), claimed('r', 'a', 2));
    await project.files.flush();
    expect(json(...file)).toEqual({
      schema: 1,
      task: 'a',
      attempt: 1,
      run: 'r',
      slot: 2,
      agent: 'scripted',
      branch: 'yard/r/a-1',
      startedAt: 30,
      turns: 0,
      outcome: 'unfinished',
    });
    project.happens(ready('r', 'a'), turn('r', 'a', 1, 1, 2), turned('r', 'a'), captured('r', 'a'));
    project.happens(judged('r', 'a'), built('r', ['a']));
    await project.files.flush();
    expect(json(...file)).toMatchObject({
      outcome: 'unfinished',
      base: 'base',
      commit: 'commit-a',
      turns: 1,
      slot: 2,
    });
    project.happens(landed('r', ['a']));
    await project.files.flush();
    expect(json(...file)).toMatchObject({
      outcome: 'landed',
      commit: 'commit-a',
      endedAt: 100,
      slot: 2,
    });
  });

  it('keep the reason of a failed attempt, and each attempt in a file of its own', async () => {
    const project = new Project(dir);
    project.happens(added('a'), started('r'), claimed('r', 'a', 1), failed('r', 'a'));
    project.happens(claimed('r', 'a', 2, 2));
    await project.files.flush();
    expect(readdirSync(join(dir, 'r', 'attempts')).sort()).toEqual(['a-1', 'a-2']);
    expect(json('r', 'attempts', 'a-1', 'attempt.json')).toMatchObject({
      outcome: 'failed',
      failure: { kind: 'agent-exited' },
      endedAt: 40,
      slot: 1,
    });
    expect(json('r', 'attempts', 'a-2', 'attempt.json')).toMatchObject({ outcome: 'unfinished' });
  });

  it('sum up each slot, and the sums match the run', async () => {
    const project = new Project(dir);
    project.happens(added('a'), added('b'), added('c'), started('r'));
    project.happens(claimed('r', 'a', 1), claimed('r', 'b', 2));
    project.happens(
      ready('r', 'a'),
      turn('r', 'a'),
      turned('r', 'a'),
      captured('r', 'a'),
      judged('r', 'a'),
    );
    project.happens(failed('r', 'b', 1, red), claimed('r', 'c', 1), failed('r', 'c'));
    project.happens(built('r', ['a']), landed('r', ['a']));
    project.happens({ type: 'run-ended', run: 'r', stop: { reason: 'drained' } });
    await project.files.flush();
    const manifest = json('r', 'manifest.json');
    expect(manifest).toEqual({
      schema: 1,
      run: 'r',
      jobs: 2,
      startedAt: 40,
      completedAt: 170,
      slots: [
        // Its only turn is from 80 to 90.
        { slot: 1, attempts: 2, landed: 1, failed: 1, ms: 10, stop: 'drained' },
        { slot: 2, attempts: 1, landed: 0, failed: 1, ms: 0, stop: 'drained' },
      ],
    });
    expect(json('r', 'run.json')).toMatchObject({
      endedAt: 170,
      landed: 1,
      stop: { reason: 'drained' },
    });
  });

  it('continue where an earlier process stopped', async () => {
    const before = new Project(dir);
    before.happens(
      added('a'),
      started('r'),
      claimed('r', 'a', 2),
      ready('r', 'a'),
      turn('r', 'a', 1, 1, 2),
    );
    before.happens(turned('r', 'a'), captured('r', 'a'), judged('r', 'a'));
    await before.files.flush();
    before.files = runFiles({
      dir,
      now: () => before.now,
      past: [...before.records.attempts.values()],
    });
    before.happens(landed('r', ['a']));
    await before.files.flush();
    expect(json('r', 'attempts', 'a-1', 'attempt.json')).toMatchObject({
      slot: 2,
      commit: 'commit-a',
      outcome: 'landed',
    });
    expect(json('r', 'manifest.json')).toMatchObject({
      slots: [{ attempts: 0 }, { attempts: 1, landed: 1, ms: 10 }],
    });
  });

  it('name the slot that takes no more work', async () => {
    const project = new Project(dir);
    project.happens(added('a'), started('r'));
    const run = project.records.run('r');
    if (run !== undefined)
      project.records.putRun({ ...run, slots: [{ errors: 0 }, { errors: 5 }] });
    project.happens(claimed('r', 'a', 1));
    await project.files.flush();
    expect(json('r', 'manifest.json')).toMatchObject({
      slots: [{ slot: 1 }, { stop: 'slot-errors' }],
    });
  });

  it('match their published shapes at every moment', async () => {
    const project = new Project(dir);
    const story = [
      added('a'),
      started('r'),
      claimed('r', 'a', 1),
      ready('r', 'a'),
      turn('r', 'a'),
      turned('r', 'a'),
      captured('r', 'a'),
      judged('r', 'a'),
      built('r', ['a']),
      landed('r', ['a']),
      { type: 'run-ended', run: 'r', stop: { reason: 'environment', failure: red } } as const,
    ];
    for (const event of story) {
      project.happens(event);
      await project.files.flush();
      if (project.events.length < 2) continue;
      runSchema.parse(json('r', 'run.json'));
      manifestSchema.parse(json('r', 'manifest.json'));
      if (project.events.length > 2)
        attemptSchema.parse(json('r', 'attempts', 'a-1', 'attempt.json'));
    }
  });

  it('leave no temporary file, and report when they cannot be written', async () => {
    const project = new Project(dir);
    project.happens(started('r'), started('s'));
    await project.files.flush();
    expect(readdirSync(join(dir, 'r')).filter((name) => name.startsWith('.'))).toEqual([]);
    writeFileSync(join(dir, 'blocked'), 'a file where a folder should be');
    project.happens(started('blocked'), started('t'));
    expect(trouble(await outcomeOf(project.files.flush()))).toMatchObject({
      kind: 'state-unwritable',
      dir: join(dir, 'blocked'),
    });
    expect(json('t', 'run.json')).toMatchObject({ id: 't' });
    expect((await outcomeOf(project.files.flush())).ok).toBe(true);
  });

  it('are written again at the end, so that trouble that has passed is not reported', async () => {
    const project = new Project(dir);
    const inTheWay = join(dir, 'r');
    writeFileSync(inTheWay, 'a file where a folder should be');
    // The files of `s` are written after those of `r` were tried.
    project.happens(started('r'), started('s'));
    await until(() => existsSync(join(dir, 's', 'manifest.json')), 'the files of s');
    rmSync(inTheWay);
    await project.files.flush();
    expect(json('r', 'run.json')).toMatchObject({ id: 'r' });
  });

  it('are not touched by events that belong to no run', async () => {
    const project = new Project(dir);
    project.happens(added('a'));
    await project.files.flush();
    expect(readdirSync(dir)).toEqual([]);
  });
});

describe('A file that is replaced', () => {
  it('is always the old or the new version for a reader', async () => {
    const file = join(dir, 'deep', 'page.json');
    const texts = [1, 2].map((mark) => `${JSON.stringify({ mark, text: 'x'.repeat(200_000) })}\n`);
    await writeWhole(file, texts[0] ?? '');
    let done = false;
    const writing = (async () => {
      for (let turn = 0; turn < 20; turn += 1) await writeWhole(file, texts[turn % 2] ?? '');
      done = true;
    })();
    while (!done) {
      expect(texts).toContain(readFileSync(file, 'utf8'));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await writing;
    expect(readdirSync(dirname(file))).toEqual(['page.json']);
  });

  it('keeps its mode; a secret new file is readable by its owner only', async () => {
    const mode = (name: string): number => statSync(join(dir, name)).mode & 0o777;
    writeFileSync(join(dir, 'theirs'), 'old');
    chmodSync(join(dir, 'theirs'), 0o664);
    await writeWhole(join(dir, 'theirs'), 'new');
    await writeWhole(join(dir, 'plain'), 'new');
    await writeWhole(join(dir, 'deep', 'ours'), 'new', { secret: true });
    expect([mode('theirs'), mode('plain')]).toEqual([0o664, 0o666 & ~process.umask()]);
    expect([mode('deep'), mode('deep/ours')]).toEqual([0o700, 0o600]);
  });

  it('stays unchanged if it cannot be replaced', async () => {
    mkdirSync(join(dir, 'page.json', 'in the way'), { recursive: true });
    await expect(writeWhole(join(dir, 'page.json'), 'text')).rejects.toThrow();
    expect(readdirSync(dir)).toEqual(['page.json']);
  });
});
