// `kill -9` of any process of a run, at any moment: the engine, agents, gates, and the git of either. In the end the tree is
// that of a run that nobody disturbed, and each task has landed once.
//
//   KILLS=500 TASKS=100 npx vitest run --project long-kill test/long/kill/kill-any.test.ts    (about ten minutes)
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { crashProject } from '../../rig/crash.ts';
import { processesWith } from '../../rig/screen.ts';
import { seed } from '../../rig/seed.ts';
import type { Ended, TestProject } from '../../rig.ts';

const kills = Number(process.env.KILLS ?? 12);
const tasks = Array.from({ length: Number(process.env.TASKS ?? 8) }, (_, n) => `t${n + 1}`);
/** Time between two kills. */
const pauseMs = 400;

function projectOf(): TestProject {
  // A turn after a killed one finds the files of that turn, and writes the same.
  const agent =
    'sleep 0.2\necho "$YARD_TASK" > "$YARD_TASK.txt"\ngit add -A\ngit commit -qm work || true\n';
  const files = { 'agent.sh': agent, 'gate.sh': 'sleep 0.1; test -e agent.sh\n' };
  const project = crashProject({ tasks, options: { files, config: { jobs: 4 } } });
  onTestFinished(async ({ task }) => {
    const problems = await project.dispose();
    if (problems.length > 0 && task.result?.state !== 'fail') throw new Error(problems.join('\n'));
  });
  return project;
}

/** Kinds of processes, with a word of their command line. */
const kinds = { agent: 'agent.sh', gate: 'gate.sh', engine: 'main.js', git: 'git' };

/** Kills one process of the project, of each kind as often; its kind, or undefined if nothing was hit. */
function killOne(project: TestProject, random: (below: number) => number): string | undefined {
  const all = processesWith(project.tag);
  const present = Object.entries(kinds).flatMap(([kind, word]) => {
    const pids = all.filter((line) => line.includes(word)).map((line) => Number.parseInt(line, 10));
    return pids.length === 0 ? [] : [{ kind, pids }];
  });
  const chosen = present[random(present.length)];
  const pid = chosen?.pids[random(chosen.pids.length)];
  if (chosen === undefined || pid === undefined) return undefined;
  // An engine that has just begun is alone; killed each time, it would start no agent.
  if (chosen.kind === 'engine' && random(4) > 0) return undefined;
  try {
    process.kill(pid, 'SIGKILL');
    return chosen.kind;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ESRCH') return undefined;
    throw error;
  }
}

test(`${kills} kills of any process in runs of ${tasks.length} tasks leave the tree that an undisturbed run makes`, {
  timeout: 120_000 + kills * 5_000,
}, async () => {
  const { value, random } = seed();
  const hits = new Map<string, number>();
  let left = kills;
  while (left > 0) {
    const project = projectOf();
    let running = project.start('run', project.plan);
    let end: Promise<Ended> = running.end();
    for (let tries = 0; ; ) {
      await delay(random(pauseMs * 2));
      if (!running.isOver()) {
        const hit = left > 0 ? killOne(project, random) : undefined;
        if (hit === undefined) continue;
        left -= 1;
        hits.set(hit, (hits.get(hit) ?? 0) + 1);
        continue;
      }
      const { code, stdout, stderr } = await end;
      if (code === 0) break;
      tries += 1;
      expect(tries, `seed ${value}: ${stdout.slice(-2_000)}${stderr}`).toBeLessThan(kills + 10);
      const [newest] = JSON.parse((await project.ym('runs', '--json')).stdout).runs;
      if (newest?.state === 'ended') {
        // Killed after its last event: nothing is left to resume.
        const left = (await project.ym('status', '--all', '--verbose')).stdout;
        const tasksLeft = JSON.parse((await project.ym('tasks', '--json')).stdout).tasks;
        expect(tasksLeft, `seed ${value}, exit ${code}: ${stdout.slice(-4_000)}${left}`).toEqual(
          [],
        );
        break;
      }
      running = project.start(...(newest === undefined ? ['run', project.plan] : ['resume']));
      end = running.end();
    }
    const names = project.git('ls-tree', '--name-only', 'main').split('\n');
    for (const id of tasks) expect(project.show(`${id}.txt`), `seed ${value}`).toBe(`${id}\n`);
    expect(names.filter((name) => /^t\d+\.txt$/.test(name))).toHaveLength(tasks.length);
    expect(project.landings(), `seed ${value}`).toEqual(
      Object.fromEntries(tasks.map((id) => [id, 1])),
    );
    expect(project.reflogGreen().red).toEqual([]);
    const { branches } = project.leftovers();
    const why = branches.map((branch) => project.ym('why', /([^/]+)-\d+$/.exec(branch)?.[1] ?? ''));
    const told = (await Promise.all(why)).map(({ stdout }) => stdout).join('\n');
    expect(branches, `seed ${value}: ${told}`).toEqual([]);
    expect(project.git('status', '--porcelain')).toBe('');
  }
  console.log(
    `seed ${value}, killed: ${[...hits].map(([kind, n]) => `${n} × ${kind}`).join(', ')}`,
  );
});
