import type { Call } from './parse.ts';

/** Runs one command and returns the exit status. */
export type Handler = (call: Call) => Promise<number>;

const decide = async (): Promise<Handler> => (await import('./decide.ts')).run;

/** The handler of each command, loaded on demand, so that a command loads only what it uses. */
export const handlers: Readonly<Record<string, () => Promise<Handler>>> = {
  add: async () => (await import('./tasks.ts')).add,
  agent: async () => (await import('./agent.ts')).run,
  answer: decide,
  approve: decide,
  attach: async () => (await import('./attach.ts')).run,
  block: decide,
  cancel: decide,
  completions: async () => (await import('./completions.ts')).run,
  config: async () => (await import('./config.ts')).run,
  demo: async () => (await import('./demo.ts')).run,
  diff: async () => (await import('./see.ts')).diff,
  doctor: async () => (await import('./doctor.ts')).run,
  edit: async () => (await import('./tasks.ts')).edit,
  graph: async () => (await import('./see.ts')).graph,
  help: async () => (await import('./help.ts')).run,
  import: async () => (await import('./tasks.ts')).importAll,
  init: async () => (await import('./init.ts')).run,
  ledger: async () => (await import('./see.ts')).ledger,
  log: async () => (await import('./log.ts')).run,
  plan: async () => (await import('./tasks.ts')).plan,
  prune: async () => (await import('./prune.ts')).run,
  reject: decide,
  resolve: async () => (await import('./resolve.ts')).run,
  resume: async () => (await import('./run.ts')).resume,
  retry: decide,
  review: async () => (await import('./review.ts')).run,
  rm: async () => (await import('./tasks.ts')).remove,
  run: async () => (await import('./run.ts')).run,
  runs: async () => (await import('./see.ts')).runs,
  show: async () => (await import('./see.ts')).show,
  skip: decide,
  status: async () => (await import('./status.ts')).run,
  stop: async () => (await import('./decide.ts')).stop,
  summary: async () => (await import('./see.ts')).summary,
  tasks: async () => (await import('./see.ts')).listTasks,
  tell: async () => (await import('./decide.ts')).tell,
  unblock: decide,
  verify: async () => (await import('./verify.ts')).run,
  why: async () => (await import('./see.ts')).why,
};
