// CPU time of a claim, by the number of ready tasks.
import { Story, task } from '../../test/story.ts';

/** The same number for every size, so that as many tasks have been passed over. */
const rounds = 20;
const slots = 4;

/**
 * CPU time of one claim in microseconds, the lower quartile: the decision, and the fold of its start. Half of the tasks
 * overlap.
 */
export function claimCost(ready: number): number {
  const story = new Story();
  for (let at = 0; at < ready; at += 1) {
    const paths = at % 2 === 0 ? ['src/shared.ts'] : [`src/f${at}.ts`];
    story.tasks(task(`t${at}`, { paths }));
  }
  story.start({ jobs: slots });
  // The first decision ranks all tasks, once.
  story.decide();
  const costs: number[] = [];
  for (let at = 0; at < rounds; at += 1) {
    const before = process.cpuUsage();
    const started = story.decide().commands.flatMap((command) => {
      return command.type === 'claim' ? [command] : [];
    });
    for (const { id, slot } of started) story.prepared(id, slot);
    const { user, system } = process.cpuUsage(before);
    if (started.length > 0) costs.push((user + system) / started.length);
    for (const { id, slot } of started) {
      story.works(id, slot).judged(id, true).built(id).candidateJudged(true).lands();
    }
  }
  return costs.sort((a, b) => a - b)[Math.floor(costs.length / 4)] ?? 0;
}
