import type { Call } from './parse.ts';

/** Runs one command and returns the exit status. */
export type Handler = (call: Call) => Promise<number>;

const decide = async (): Promise<Handler> => (await import('./decide.ts')).run;

/** The handler of each command, loaded on demand, so that a command loads only what it uses. */
export const handlers: Readonly<Record<string, () => Promise<Handler>>> = {
  add: async () => (await import('./add.ts')).run,
  agent: async () => (await import('./agent.ts')).run,
  answer: decide,
  approve: decide,
  attach: async () => (await import('./attach.ts')).run,
  block: decide,
  cancel: decide,
  completions: async () => (await import('./completions.ts')).run,
  config: async () => (await import('./config.ts')).run,
  demo: async () => (await import('./demo.ts')).run,
  diff: async () => (await import('./diff.ts')).run,
  doctor: async () => (await import('./doctor.ts')).run,
  edit: async () => (await import('./edit.ts')).run,
  graph: async () => (await import('./graph.ts')).run,
  help: async () => (await import('./help.ts')).run,
  import: async () => (await import('./import.ts')).run,
  init: async () => (await import('./init.ts')).run,
  ledger: async () => (await import('./ledger.ts')).run,
  log: async () => (await import('./log.ts')).run,
  plan: async () => (await import('./plan.ts')).run,
  prune: async () => (await import('./prune.ts')).run,
  reject: decide,
  resolve: async () => (await import('./resolve.ts')).run,
  resume: async () => (await import('./resume.ts')).run,
  retry: decide,
  review: async () => (await import('./review.ts')).run,
  rm: async () => (await import('./rm.ts')).run,
  run: async () => (await import('./run.ts')).run,
  runs: async () => (await import('./runs.ts')).run,
  show: async () => (await import('./show.ts')).run,
  skip: decide,
  status: async () => (await import('./status.ts')).run,
  stop: async () => (await import('./stop.ts')).run,
  summary: async () => (await import('./summary.ts')).run,
  tasks: async () => (await import('./tasks.ts')).run,
  tell: async () => (await import('./tell.ts')).run,
  unblock: decide,
  verify: async () => (await import('./verify.ts')).run,
  why: async () => (await import('./why.ts')).run,
};
