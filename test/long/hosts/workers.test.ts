// Workers of the built program: agents and gates of a run in other processes, with folders of their own.

import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { program } from '../../rig/child.ts';
import { hasPostgres, ownPostgres, type PostgresServer } from '../../rig/postgres.ts';
import { flat, shell } from '../../rig/project.ts';
import { Relay } from '../../rig/relay.ts';
import { tempFolder } from '../../rig/temp-folder.ts';
import { joined, withWorkers, work } from '../../rig/workers.ts';
import {
  type TestProject,
  type TestProjectOptions,
  touch,
  until,
  waitFor,
  write,
} from '../../rig.ts';

// reason: the server is not installed everywhere.
describe.skipIf(!hasPostgres)('A worker', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await ownPostgres();
  });
  afterAll(() => server.end());

  const yard = async (tasks: TestProjectOptions, remote?: string) =>
    withWorkers(await server.database(), tasks, remote);

  const countOf = async (y: TestProject, type: string): Promise<number> => {
    const { stdout } = await y.ym('events', '--json');
    const lines = stdout.trim().split('\n');
    return lines.filter((line) => JSON.parse(line).type === type).length;
  };

  test('that is killed and started again goes on with the agents it had', async () => {
    const y = await yard({
      tasks: [{ id: 'a' }, { id: 'b' }],
      script: {
        a: work('a', touch('a'), waitFor('go')),
        b: work('b', touch('b'), waitFor('go')),
      },
    });
    const w1 = y.worker('w1');
    await joined(w1);
    const run = y.start('run', y.plan, '--jobs', '1');
    await y.seen('b');
    w1.signal('SIGKILL');
    await w1.end();
    const again = y.worker('w1');
    await joined(again);
    y.signal('go');
    expect(await run.end()).toMatchObject({ code: 0 });
    expect(await countOf(y, 'turn-started')).toBe(2);
    expect(y.landings()).toEqual({ a: 1, b: 1 });
    again.signal('SIGTERM');
    await again.end();
  });

  test('that was silent for too long is ignored afterwards, and its task lands once, from elsewhere', async () => {
    const y = await yard({
      tasks: [{ id: 'a', labels: ['needs:gpu'] }],
      script: { a: [[touch('a'), waitFor('go'), write('a.txt', 'a\n')]] },
    });
    const [w1, w2] = [y.worker('w1', '--label', 'gpu'), y.worker('w2', '--label', 'gpu')];
    await joined(w1);
    await joined(w2);
    const run = y.start('run', y.plan, '--jobs', '1');
    await y.seen('a');
    const holder = (await y.status()).slots.find(({ task }) => task === 'a')?.worker;
    const [silent, other] = holder === 'w1' ? [w1, w2] : [w2, w1];
    silent.signal('SIGSTOP');
    await until(() => run.stdout().includes('is lost'), 'the worker to be lost');
    y.signal('go');
    await until(() => run.stdout().includes('landed'), 'the task to land');
    silent.signal('SIGCONT');
    expect(await run.end()).toMatchObject({ code: 0 });
    expect(y.landings()).toEqual({ a: 1 });
    expect(await countOf(y, 'attempt-started')).toBe(2);
    expect(await countOf(y, 'turn-ended')).toBe(1);
    // What it had done meanwhile is not lost.
    const kept = () => y.gitIn(y.hub, 'for-each-ref', '--format=%(refname)').trim();
    await until(
      () => kept().endsWith('.stray1'),
      'its work alone in the shared repository',
      90_000,
    );
    expect(kept()).toMatch(/^refs\/yard\/keep\/\S+\/a-1\.stray1$/);
    expect(y.gitIn(y.hub, 'show', `${kept()}:a.txt`)).toBe('a\n');
    const why = async () => flat((await y.ym('why', 'a')).stdout);
    const text = /kept as (\S+) in the shared repository/;
    await until(async () => text.test(await why()), 'the worker to store it');
    expect(text.exec(await why())?.[1]).toBe(kept());
    // The records name it, also if the shared repository cannot be reached.
    const ref = kept();
    renameSync(y.hub, `${y.hub}.away`);
    const ledger = JSON.parse((await y.ym('ledger', '--json')).stdout);
    const shared = [{ task: 'a', attempt: 1, ref }];
    expect(ledger).toMatchObject({ balanced: true, shared, mismatches: [] });
    expect((await y.ym('ledger')).stdout).toContain('Pushed by workers to the shared repository');
    for (const worker of [silent, other]) {
      worker.signal('SIGTERM');
      await worker.end();
    }
  });

  test('that drains hands in what its agents finish, then ends', async () => {
    const y = await yard({
      tasks: [{ id: 'a', labels: ['needs:gpu'] }],
      script: { a: [[touch('a'), waitFor('go'), write('a.txt', 'a\n')]] },
    });
    const w1 = y.worker('w1', '--label', 'gpu');
    await joined(w1);
    const run = y.start('run', y.plan, '--jobs', '1');
    await y.seen('a');
    w1.signal('SIGTERM');
    await until(() => run.stdout().includes('takes nothing new'), 'the run to know');
    y.signal('go');
    expect(await run.end()).toMatchObject({ code: 0 });
    expect(y.landings()).toEqual({ a: 1 });
    expect(await countOf(y, 'attempt-started')).toBe(1);
    expect(await w1.end()).toMatchObject({ code: 0 });
  });

  test('keeps its agents while the run is killed and resumed', async () => {
    const y = await yard({
      tasks: [{ id: 'a', labels: ['needs:gpu'] }],
      script: { a: [[touch('a'), waitFor('go'), write('a.txt', 'a\n')]] },
    });
    const w1 = y.worker('w1', '--label', 'gpu');
    await joined(w1);
    const run = y.start('run', y.plan, '--jobs', '1');
    await y.seen('a');
    run.signal('SIGKILL');
    await run.end();
    y.signal('go');
    expect(await y.ym('resume')).toMatchObject({ code: 0 });
    expect(y.landings()).toEqual({ a: 1 });
    expect(await countOf(y, 'turn-started')).toBe(1);
    w1.signal('SIGTERM');
    await w1.end();
  });

  test('needs a shared repository: while it is away landings wait, and what a person cancels does not land later', async () => {
    const work = (id: string) => [touch(id), waitFor('go'), write(`${id}.txt`, `${id}\n`)];
    const y = await yard({
      tasks: [{ id: 'a' }, { id: 'b' }],
      script: { a: [work('a')], b: [work('b')] },
      // Canceled work stays on its branch.
      leaves: ['branches'],
    });
    const run = y.start('run', y.plan, '--jobs', '2');
    await y.seen('a');
    await y.seen('b');
    renameSync(y.hub, `${y.hub}.away`);
    y.signal('go');
    const waits = 'The shared repository does not take work that is about to land';
    await until(() => run.stdout().includes(waits), 'a landing to wait');
    const { tasks } = await y.status();
    const waiting = tasks.find(({ failure }) => failure !== undefined)?.id ?? '';
    expect(flat((await y.ym('why', waiting)).stdout)).toContain(waits);
    expect((await y.ym('cancel', waiting)).stdout).toBe(`${waiting} is canceled\n`);
    renameSync(`${y.hub}.away`, y.hub);
    expect(await run.end()).toMatchObject({ code: 1 });
    expect(y.landings()).toEqual({ [waiting === 'a' ? 'b' : 'a']: 1 });
    expect((await y.ym('tasks')).stdout).toContain('✓ 1 landed  ⊘ 1 canceled');
  });

  test('reaches the shared repository by ssh with the command of GIT_SSH_COMMAND, and agents do not get it', async () => {
    const folder = tempFolder();
    const ssh = join(folder, 'ssh');
    // The last argument is the command for the other machine, with a path below its home.
    const hub = `s|'~/|'${folder}/|`;
    const script = `[ "$1" = -G ] && exit 1\nfor last; do :; done\neval "$(echo "$last" | sed "${hub}")"\n`;
    writeFileSync(ssh, `#!/bin/sh\n${script}`, { mode: 0o755 });
    const y = await yard(
      {
        tasks: [{ id: 'a', labels: ['needs:gpu'] }],
        script: { a: [[shell('echo "ssh=$GIT_SSH_COMMAND" > a.txt')]] },
        env: { GIT_SSH_COMMAND: ssh },
      },
      'ssh://git@hub.invalid/~/hub.git',
    );
    y.git('init', '-q', '--bare', join(folder, 'hub.git'));
    const worker = y.worker('w1', '--label', 'gpu');
    await joined(worker);
    expect(await y.ym('run', y.plan, '--jobs', '1')).toMatchObject({ code: 0 });
    expect(y.landings()).toEqual({ a: 1 });
    expect(y.show('a.txt')).toBe('ssh=\n');
    worker.signal('SIGTERM');
    await worker.end();
  });

  test('may have a slow link and a clock that is minutes ahead: it is not lost, and no event has its time', async () => {
    const y = await yard({
      tasks: ['a', 'b'].map((id) => ({ id, labels: ['needs:gpu'] })),
      script: { a: work('a'), b: work('b') },
    });
    const relay = await Relay.to(server.port);
    onTestFinished(() => relay.end());
    relay.delayMs = 100;
    const ahead = join(y.stage, 'ahead.cjs');
    writeFileSync(ahead, 'const { now } = Date; Date.now = () => now() + 240_000;');
    const env = {
      NODE_OPTIONS: `--require ${ahead}`,
      YARDMASTER_STORE: relay.through(y.env().YARDMASTER_STORE ?? ''),
    };
    const dir = join(y.base, 'slow');
    mkdirSync(dir);
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    const how = ['--label', 'gpu', '--slots', '2', '--gates', '1', '--dir', dir];
    const slow = y.startWith({ env }, 'worker', '--name', 'slow', ...how);
    const isKnown = async () => (await y.ym('workers')).stdout.includes('slow');
    await until(isKnown, 'the worker to be known');
    const begin = Date.now();
    const { code, stdout } = await y.ym('run', y.plan, '--jobs', '1');
    expect(code, stdout).toBe(0);
    expect(y.landings()).toEqual({ a: 1, b: 1 });
    expect(await countOf(y, 'attempt-started')).toBe(2);
    const events = (await y.ym('events', '--json')).stdout.trim().split('\n');
    const times = events.map((line) => new Date(JSON.parse(line).at).getTime());
    expect(Math.min(...times)).toBeGreaterThan(begin - 60_000);
    expect(Math.max(...times)).toBeLessThan(Date.now() + 60_000);
    slow.signal('SIGTERM');
    expect(await slow.end()).toMatchObject({ code: 0 });
  });

  test('knows agents: one that has the address of the store cannot decide through another clone', async () => {
    const decide = [
      'cd "$YARD_SCRIPT_DIR" && git clone -q "$YARD_PROJECT" clone',
      `export YARDMASTER_STORE="$(cat url)"; unset YARD_WORKTREE`,
      `'${process.execPath}' '${program}' -C clone skip b >out 2>&1; echo "exit $?" >>out`,
    ];
    const y = await yard({
      tasks: [{ id: 'a' }, { id: 'b', after: ['a'] }],
      script: { a: [[shell(decide.join('\n')), write('a.txt', 'a\n')]], b: work('b') },
    });
    writeFileSync(join(y.stage, 'url'), y.env().YARDMASTER_STORE ?? '');
    expect(await y.ym('run', y.plan)).toMatchObject({ code: 0 });
    const printed = readFileSync(join(y.stage, 'out'), 'utf8');
    expect(printed).toMatch(/only a person may use `ym skip`.*exit 2/is);
    expect(y.landings()).toEqual({ a: 1, b: 1 });
  });

  test('with another gate than the run is refused, and its tasks land from elsewhere', async () => {
    const y = await yard({
      tasks: [{ id: 'a' }, { id: 'b' }],
      script: { a: work('a'), b: work('b') },
      config: { gate: { commands: ['true'], environment: ['basename "$PWD"'] } },
    });
    const w1 = y.worker('w1', '--gates', '1');
    await joined(w1);
    const { code, stdout } = await y.ym('run', y.plan, '--jobs', '1');
    expect({ code, stdout }).toMatchObject({ code: 0 });
    expect(stdout).toContain('The worker w1 judges by another gate than the run: ');
    expect(y.landings()).toEqual({ a: 1, b: 1 });
    w1.signal('SIGTERM');
    await w1.end();
  });

  test('without the program of the agent is refused by name, and its tasks land from elsewhere', async () => {
    const y = await yard({
      tasks: [{ id: 'a' }, { id: 'b' }],
      config: { agent: 'mine', agents: { mine: { use: 'command', command: ['make-it'] } } },
    });
    const bin = join(y.base, 'bin');
    mkdirSync(bin);
    const go = join(y.base, 'go');
    const wait = `until [ -e '${go}' ]; do sleep 0.1; done`;
    const make = `#!/bin/sh\n${wait}\necho "$YARD_TASK" > "$YARD_TASK.txt"\n`;
    writeFileSync(join(bin, 'make-it'), make, { mode: 0o755 });
    const w1 = y.worker('w1');
    await joined(w1);
    const env = { PATH: `${bin}:${y.env().PATH}` };
    const run = y.startWith({ env }, 'run', y.plan, '--jobs', '1');
    await run.until('w1 gets nothing more');
    expect((await y.ym('workers')).stdout).toMatch(/w1 .* refused by \S+ /);
    writeFileSync(go, '');
    const { code, stdout } = await run.end();
    expect({ code, stdout }).toMatchObject({ code: 0 });
    expect(flat(stdout)).toContain(
      'The worker w1 cannot work for this run: The agent mine needs "make-it", which was not found.',
    );
    expect(stdout).toContain('w1 gets nothing more');
    expect(y.landings()).toEqual({ a: 1, b: 1 });
    w1.signal('SIGTERM');
    expect(await w1.end()).toMatchObject({ code: 0 });
  });

  test('without a file of the project that is not committed says where it looked', async () => {
    const y = await yard({
      tasks: [{ id: 'a' }, { id: 'b' }],
      config: { agent: 'mine', agents: { mine: { use: 'command', command: ['./make-it'] } } },
      files: { '.gitignore': 'make-it\n' },
    });
    const make = '#!/bin/sh\necho "$YARD_TASK" > "$YARD_TASK.txt"\n';
    writeFileSync(join(y.root, 'make-it'), make, { mode: 0o755 });
    const w1 = y.worker('w1');
    await joined(w1);
    const { code, stdout } = await y.ym('run', y.plan, '--jobs', '1');
    expect({ code, stdout }).toMatchObject({ code: 0 });
    expect(flat(stdout)).toMatch(
      /needs "\.\/make-it", which was not found: \S+\/repository\/make-it does not exist\..* only files that are committed/,
    );
    w1.signal('SIGTERM');
    expect(await w1.end()).toMatchObject({ code: 0 });
  });

  test('needs a store that other machines reach, and a name of its own', async () => {
    const y = await yard({ tasks: [{ id: 'a' }], script: { a: work('a') } });
    const sqlite = await y.ymWith({ env: { YARDMASTER_STORE: 'sqlite' } }, 'worker');
    expect(sqlite).toMatchObject({ code: 2 });
    expect(sqlite.stderr).toContain('needs the Postgres store of a project');
    const run = await y.ymWith({ env: { YARDMASTER_STORE: 'sqlite' } }, 'run', y.plan);
    expect(run).toMatchObject({ code: 2 });
    expect(run.stderr).toContain('"workers.remote" needs records that other machines reach');
    expect(await y.ym('worker', '--name', 'a b')).toMatchObject({ code: 2 });
    const w1 = y.worker('w1');
    await joined(w1);
    await until(
      async () => (await y.ym('workers')).stdout.includes('w1'),
      'the worker to be there',
    );
    const twin = await y.ym('worker', '--name', 'w1', '--dir', join(y.base, 'twin'));
    expect(twin).toMatchObject({ code: 2 });
    expect(twin.stderr).toContain('Another process is the worker w1.');
    rmSync(join(y.base, 'twin'), { recursive: true, force: true });
    w1.signal('SIGTERM');
    await w1.end();
  });
});
