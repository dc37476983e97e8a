// Processes in the folder of a child that neither their group nor their environment gives away.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import type { ProcessSpec } from '../../src/port/processes.ts';
import { hasProc, startOf } from '../../src/process/identity.ts';
import { orphanedGitEnded } from '../../src/process/occupants.ts';
import { supervisor } from '../../src/process/supervisor.ts';
import { tempFolder } from '../rig/temp-folder.ts';
import { until } from '../rig/until.ts';
import { untilFile } from './scratch.ts';

let place: string;
let folder: string;
beforeEach(() => {
  place = tempFolder();
  folder = join(place, 'work');
  mkdirSync(folder);
});

const secret = 'word-of-mine';
const processes = supervisor({ killGraceMs: 500, followMs: 50, secrets: [secret] });

function spec(script: string, more: Partial<ProcessSpec> = {}): ProcessSpec {
  return {
    dir: join(place, 'turn'),
    name: 'agent',
    argv: ['sh', '-c', script],
    cwd: folder,
    env: { PATH: process.env.PATH ?? '' },
    limits: { wallMs: 30_000, outputBytes: 1_000_000 },
    confined: { role: 'gate' },
    ...more,
  };
}

/** Starts a process in its own session, with an empty environment, that is nobody's child. */
const left = (script: string): string =>
  `(setsid env -i /bin/sh -c '${script}' >/dev/null 2>&1 &); until [ -s ../pid ]; do sleep 0.01; done;`;
const pidOf = (): number => Number(readFileSync(join(place, 'pid'), 'utf8'));

// reason: other systems do not show where a process works.
const procIt = it.skipIf(!hasProc);

procIt.each([
  ['its working directory', 'echo $$ >../pid; exec sleep 61'],
  ['an open file', 'echo $$ >../pid; exec 9>open; cd /; exec sleep 61'],
])('is ended and named if %s is there', async (_, script) => {
  const end = await processes.run(spec(`${left(`x=${secret}; ${script}`)} sleep 0.2; exit 4`));
  expect(end.how).toEqual({ id: 'exited', code: 4 });
  expect(end.survivors).toEqual([
    { pid: pidOf(), command: expect.stringContaining('sleep 61'), fate: 'ended' },
  ]);
  expect(startOf(pidOf())).toBeUndefined();
  const log = await processes.tail(join(place, 'turn'), 'agent', 1000);
  expect(log).toContain(`[ended process ${pidOf()}, which outlived this one: sleep 61]`);
  expect(await supervisor().run(spec(''))).toEqual(end);
});

procIt('is not looked for where others may work', async () => {
  const script = left('echo $$ >../pid; exec sleep 61');
  const { confined, ...open } = spec(script);
  expect(confined).toBeDefined();
  expect((await processes.run(open)).survivors).toBeUndefined();
  expect(startOf(pidOf())).toBeDefined();
  process.kill(pidOf(), 'SIGKILL');
});

const hasScript = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes(
  'util-linux',
);

// reason: only util-linux has a `script` that makes a terminal for a command.
it.skipIf(!hasProc || !hasScript)(
  'is only named if it has a terminal, or is a git of ours',
  async () => {
    const running = processes.run(spec('echo up >../up; until [ -e ../go ]; do sleep 0.02; done'));
    await untilFile(join(place, 'up'));
    const person = inFolder('script', ['-qc', 'echo $$ >../pid; exec sleep 62', '/dev/null']);
    await untilFile(join(place, 'pid'));
    await until(() => readFileSync(join(place, 'pid')).length > 0, 'the pid is written');
    const own = inFolder('sleep', ['63']);
    writeFileSync(join(place, 'go'), '');
    const end = await running;
    const named = end.survivors ?? [];
    expect(named.every(({ fate }) => fate === 'left')).toBe(true);
    expect(named.map(({ pid }) => pid)).toContain(pidOf());
    expect(end.stragglers).toBe(0);
    expect(startOf(pidOf())).toBeDefined();
    expect(startOf(own.pid ?? 0)).toBeDefined();
    for (const child of [person, own]) child.kill('SIGKILL');
  },
);

function inFolder(program: string, args: readonly string[]): ChildProcess {
  return spawn(program, args, { cwd: folder, stdio: 'ignore', env: { PATH: process.env.PATH } });
}

procIt('a git of an engine that has died is waited for, in its own folder only', async () => {
  const [gone, go] = [join(place, 'gone'), join(place, 'go')];
  const orphan = async (tree: string): Promise<void> => {
    // It ends by itself if the test does not get to `go`.
    const script = `touch ${tree}; for n in $(seq 3000); do [ ! -e ${go} ] || break; sleep 0.01; done; touch ${gone}`;
    const start = `(setsid env GIT_WORK_TREE=${tree} sh -c '${script}' >/dev/null 2>&1 &)`;
    spawnSync('sh', ['-c', start]);
    await untilFile(tree);
  };
  await orphan(join(place, 'elsewhere'));
  await orphanedGitEnded(folder);
  expect(existsSync(gone)).toBe(false);
  await orphan(join(folder, 'tree'));
  const ended = orphanedGitEnded(folder).then(() => existsSync(gone));
  setTimeout(() => writeFileSync(go, ''), 100);
  expect(await ended).toBe(true);
});
