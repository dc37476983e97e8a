// @ts-check
// Adds a task, runs agents until it has landed, and prints what happened. Call it in a project with a config:
//
//   node land-a-task.mjs 'Write a haiku into poem.txt'
import { openYard } from 'yardmaster';

/**
 * Ends the program if something failed.
 * @template T
 * @param {import('yardmaster').Result<T>} result
 * @returns {T}
 */
function need(result) {
  if (result.ok) return result.value;
  const { what, why, do: remedy } = result.failure;
  throw new Error([what, why, remedy].filter(Boolean).join(' '));
}

const yard = need(await openYard(process.cwd(), { config: { jobs: 1 } }));
try {
  const task = need(await yard.add({ title: process.argv[2] ?? 'Say hello' }));
  const run = need(await yard.run({ scope: { kind: 'only', tasks: [task.id] } }));
  // The library handles no signals.
  process.once('SIGINT', () => run.stop('now'));

  const follow = new AbortController();
  run.ended.finally(() => follow.abort());
  for await (const page of yard.events({ run: run.id, follow: true, signal: follow.signal })) {
    for (const { seq, type } of need(page)) console.log(`${seq} ${type}`);
  }

  const { ending, result } = need(await run.ended);
  console.log(`${ending}: ${result.landed} landed`);
  for (const { id, state, command } of result.notLanded) {
    console.log(`${id} is ${state}: ${command}`);
  }
  if (ending === 'done') console.log(need(await yard.diff(task.id)).patch);
} finally {
  await yard.close();
}
