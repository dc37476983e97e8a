// CPU time of a claim, by the number of tasks.
import { openSqlite } from '../../src/record/sqlite.ts';
import { owner, Story, settings, task } from '../../test/story.ts';

/** CPU time of one claim in microseconds, by the median. */
export interface ClaimCost {
  readonly tasks: number;
  readonly microseconds: number;
}

const slots = 4;

/**
 * The decision and the fold of its start, with as many ready tasks. Half of them overlap. All sizes take turns, so that
 * each meets the same machine and code that is compiled as well.
 */
export function decisionCosts(sizes: readonly number[], rounds: number): readonly ClaimCost[] {
  const warm = readyTasks(500);
  for (let at = 0; at < 100; at += 1) claimRound(warm);
  const worlds = sizes.map((tasks) => ({ tasks, story: readyTasks(tasks), costs: [] as number[] }));
  for (let at = 0; at < rounds; at += 1) {
    for (const { story, costs } of worlds) costs.push(...claimRound(story));
  }
  return worlds.map(({ tasks, costs }) => ({ tasks, microseconds: median(costs) }));
}

function readyTasks(count: number): Story {
  const story = new Story();
  for (let at = 0; at < count; at += 1) {
    const paths = at % 2 === 0 ? ['src/shared.ts'] : [`src/f${at}.ts`];
    story.tasks(task(`t${at}`, { paths }));
  }
  story.start({ jobs: slots });
  // The first decision ranks all tasks, once.
  story.decide();
  return story;
}

/** Fills the slots, and lands what was started. Returns the cost of each claim; nothing once all tasks are done. */
function claimRound(story: Story): readonly number[] {
  const before = process.cpuUsage();
  const started = story
    .decide()
    .commands.flatMap((command) => (command.type === 'claim' ? [command] : []));
  for (const { id, slot } of started) story.prepared(id, slot);
  const { user, system } = process.cpuUsage(before);
  for (const { id, slot } of started) {
    story.works(id, slot).judged(id, true).built(id).candidateJudged(true).lands();
  }
  return started.length === 0 ? [] : [(user + system) / started.length];
}

/** The transaction that stores a claim, in a database with as many tasks. */
export async function storedClaimCosts(
  dir: string,
  sizes: readonly number[],
  rounds: number,
): Promise<readonly ClaimCost[]> {
  const worlds = await Promise.all(
    sizes.map(async (tasks) => {
      return {
        tasks,
        store: await filledStore(`${dir}/${tasks}.db`, tasks),
        costs: [] as number[],
      };
    }),
  );
  for (let at = 0; at < rounds; at += 1) {
    for (const { tasks, store, costs } of worlds) {
      // A prime, so that no task is claimed twice and they are far from each other.
      const id = `t${(at * 7_919) % tasks}`;
      const name = { run: 'r1', id, attempt: 1, slot: 1, agent: 'a', branch: `yard/r1/${id}-1` };
      const before = process.cpuUsage();
      const claimed = await store.claim(at, { ...name, leaseUntil: Number.MAX_SAFE_INTEGER });
      const { user, system } = process.cpuUsage(before);
      if (!claimed.ok) throw new Error(JSON.stringify(claimed.failure));
      costs.push(user + system);
    }
  }
  for (const { store } of worlds) await store.close();
  return worlds.map(({ tasks, costs }) => ({ tasks, microseconds: median(costs) }));
}

async function filledStore(file: string, count: number) {
  const opened = await openSqlite(file, { mode: 'write' });
  if (!opened.ok) throw new Error(JSON.stringify(opened.failure));
  const store = opened.value;
  const step = 5_000;
  for (let from = 0; from < count; from += step) {
    const added = Array.from({ length: Math.min(step, count - from) }, (_, at) => {
      const id = `t${from + at}`;
      const paths = [`src/f${from + at}.ts`];
      return { type: 'task-added', task: task(id, { body: 'x'.repeat(300), paths }) } as const;
    });
    await store.append(0, added);
  }
  const started = {
    type: 'run-started',
    run: 'r1',
    owner,
    settings: settings(),
    base: 'b',
  } as const;
  await store.append(0, [started], 'r1');
  return store;
}

function median(costs: readonly number[]): number {
  return costs.toSorted((a, b) => a - b)[Math.floor(costs.length / 2)] ?? 0;
}
