// What one more task, one more worker and one more job cost: the pure core alone, and a worker without agents.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { openAssignments } from '../src/job/assignments.ts';
import { openDispatch } from '../src/job/dispatch.ts';
import type { Result } from '../src/model/failure.ts';
import type { Job } from '../src/model/job.ts';
import { type PostgresAddress, storeAddress } from '../src/model/store-address.ts';
import { Story, task } from '../test/story.ts';

const slots = 16;

/** Decisions and folds of a whole run. */
export interface CoreCost {
  readonly tasks: number;
  readonly cpuMsPerTask: number;
  /** Memory that the records keep. */
  readonly heapKbPerTask: number;
}

/** Starts, judges and lands as many tasks, all ready at once, without git, processes and a database. */
export function coreCost(tasks: number): CoreCost {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  const heap = process.memoryUsage().heapUsed;
  const story = new Story();
  for (let at = 0; at < tasks; at += 1) story.tasks(task(`t${at}`, { paths: [`src/f${at}.ts`] }));
  story.start({ jobs: slots });
  const before = process.cpuUsage();
  for (let landed = 0; landed < tasks; ) {
    const claims = story
      .decide()
      .commands.flatMap((command) => (command.type === 'claim' ? [command] : []));
    if (claims.length === 0) throw new Error(`only ${landed} of ${tasks} tasks were started`);
    for (const { id, slot } of claims) {
      story.prepared(id, slot);
      story.works(id, slot).judged(id, true).built(id).candidateJudged(true).lands();
      landed += 1;
    }
  }
  const { user, system } = process.cpuUsage(before);
  collect();
  const kept = process.memoryUsage().heapUsed - heap;
  if (story.decide().commands.some(({ type }) => type === 'claim'))
    throw new Error('a task is left');
  return {
    tasks,
    cpuMsPerTask: (user + system) / 1000 / tasks,
    heapKbPerTask: kept / 1024 / tasks,
  };
}

function addressOf(url: string): PostgresAddress {
  const address = storeAddress(url);
  if (address?.kind !== 'postgres') throw new Error(`${url} is no address of Postgres`);
  return address;
}

function good<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.failure));
  return result.value;
}

const workerName = (number: number): string => `bench-${number}`;

/** Workers in this process that answer every job at once. They end with the standard input. */
export async function answerJobs(url: string, first: number, count: number): Promise<void> {
  const drain = new AbortController();
  const all = await Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const id = workerName(first + at);
      const assignments = good(await openAssignments(addressOf(url)));
      const self = { id, host: 'h', slots, gates: 0, labels: [], version: '1' };
      good(await assignments.announce({ ...self, state: 'joined' }));
      const perform = async () => ({ id: 'done', events: [], refs: [] }) as const;
      const served = assignments.serve(id, { perform, interrupt: async () => {} }, drain.signal);
      return { assignments, served };
    }),
  );
  process.stdout.write('open\n');
  process.stdin.once('data', () => drain.abort());
  for (const { assignments, served } of all) {
    good(await served);
    await assignments.close();
  }
  process.exit(0);
}

/** Gives jobs to the workers in turn, `atOnce` under way, and waits for all answers. Returns the seconds. */
export async function giveJobs(
  url: string,
  {
    workers,
    jobs,
    atOnce,
  }: { readonly workers: number; readonly jobs: number; readonly atOnce: number },
): Promise<number> {
  const dispatch = good(await openDispatch(addressOf(url)));
  const before = performance.now();
  let given = 0;
  const lane = async (): Promise<void> => {
    while (given < jobs) {
      const number = given;
      given += 1;
      const id = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
      const job: Job = {
        id,
        run: 'r1',
        command: { type: 'halt', by: 'bench' },
        refs: [],
        gates: [],
      };
      const { signal } = new AbortController();
      good(await dispatch.perform(workerName(number % workers), job, signal));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  const seconds = (performance.now() - before) / 1000;
  await dispatch.close();
  return seconds;
}
