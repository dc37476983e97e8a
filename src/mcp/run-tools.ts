import { setTimeout as sleep } from 'node:timers/promises';
import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Yard } from '../library/yard.ts';
import { ok, type Result } from '../model/failure.ts';
import { settled } from '../model/trouble.ts';
import { type Sentences, sentencesOf } from '../report/explain/sentences.ts';
import { subjectOf } from '../report/view/task.ts';
import type { View } from '../report/view/view.ts';
import { ids, need, runState, taskState } from './schemas.ts';
import type { Session } from './session.ts';
import { addTool, refused, type ToolCall } from './tool.ts';

/** Clients end a call after 60 seconds by default. */
const waitMost = 50;
const pollMs = 500;
/** Time in which a run is stored after its process started; probes of agents and sandbox come before. */
const startMs = 45_000;

const started = z.looseObject({ run: z.string(), output: z.string() });

/** Tools that start, watch and end runs. A run is a process of its own: it goes on when this server ends. */
export function addRunTools(server: McpServer, session: Session): void {
  addTool(server, session, 'run', {
    title: 'Start a run',
    description:
      'Starts agents on tasks in the background and returns the id of the run as soon as it has started. Watch it with `status` and `wait_seconds`. Work that passes the gate lands on the target branch.',
    input: z.object({
      only: ids.optional().describe('Tasks to work on; every ready task if absent'),
      sources: ids.optional().describe('Plan files to import first; then only their tasks run'),
      jobs: z.number().int().min(1).max(16).optional().describe('Agents at the same time'),
      force: z.boolean().default(false).describe('Run although the plan has warnings'),
    }),
    output: started,
    effect: 'write',
    run: ({ only = [], sources = [], jobs, force }, call) => {
      const scope = only.map((id) => `--only=${id}`);
      const all = only.length + sources.length === 0 ? ['--scope', 'ready'] : [];
      const count = jobs === undefined ? [] : ['--jobs', String(jobs)];
      // After `--` nothing is an option, whatever it looks like.
      const flags = [...scope, ...all, ...count, ...(force ? ['--force'] : [])];
      const words = ['run', ...flags, '--', ...sources];
      return startedRun(session, words, call);
    },
  });
  addTool(server, session, 'resume', {
    title: 'Resume a run',
    description: 'Continues a run that was stopped or whose process died, in the background.',
    input: z.object({
      run: z.string().optional().describe('The newest that can be resumed if absent'),
      retry_failed: z.boolean().default(false).describe('Also retry tasks that failed'),
    }),
    output: started,
    effect: 'write',
    run: ({ run, retry_failed: retry }, call) => {
      const named = run === undefined ? [] : [run];
      const flags = retry ? ['--retry-failed'] : [];
      return startedRun(session, ['resume', ...flags, '--', ...named], call);
    },
  });
  addTool(server, session, 'stop', {
    title: 'Stop the run',
    description: 'Ends the runs under way: after the current turns, or now. Work is kept.',
    input: z.object({ now: z.boolean().default(false) }),
    output: z.object({ runs: ids }),
    effect: 'undo',
    async run({ now }, { yard }) {
      const stopped = await yard.stop(now ? 'now' : 'finish');
      return stopped.ok ? ok({ runs: stopped.value }) : stopped;
    },
  });
  addStatus(server, session);
}

function addStatus(server: McpServer, session: Session): void {
  addTool(server, session, 'status', {
    title: 'Status',
    description:
      'The run, counts of tasks by state, tasks that are not done, and decisions that wait for a person. With `wait_seconds` it waits until the run has ended or a decision is needed that you have not been told of.',
    input: z.object({
      run: z.string().optional().describe('The active run, else the newest, if absent'),
      wait_seconds: z.number().min(0).max(waitMost).default(0),
      all: z.boolean().default(false).describe('Also tasks that are done'),
    }),
    output: z.looseObject({
      run: runState,
      counts: z.looseObject({}),
      needsYou: z.array(need),
      tasks: z.array(taskState),
      /** True if the run was still going on when the time was over, with no decision that the client did not know. */
      waiting: z.boolean(),
    }),
    effect: 'read',
    async run({ run, wait_seconds: seconds, all }, call) {
      const until = Date.now() + seconds * 1_000;
      for (;;) {
        const view = await call.yard.status({ run });
        if (!view.ok) return view;
        const needs = needsIn(view.value);
        const told = session.needs.get(call.client);
        const waiting = isUnderWay(view.value) && needs.every((need) => told?.has(need) === true);
        await call.progress(...progressIn(view.value));
        if (!waiting || Date.now() >= until || call.signal.aborted) {
          if (!call.signal.aborted) session.needs.set(call.client, new Set(needs));
          return ok({ ...shown(view.value, all), waiting });
        }
        await sleep(Math.min(pollMs, Math.max(0, until - Date.now())));
      }
    },
  });
  addTool(server, session, 'events', {
    title: 'Events since',
    description: 'Events of the log after a number, oldest first; pass the last `seq` next time.',
    input: z.object({
      after: z.number().int().min(0).default(0),
      limit: z.number().int().min(1).max(500).default(100),
      run: z.string().optional(),
      task: z.string().optional(),
    }),
    output: z.object({
      events: z.array(z.looseObject({ seq: z.number(), type: z.string() })),
      seq: z.number(),
    }),
    effect: 'read',
    async run({ after, limit, run, task }, { yard, signal }) {
      const asked = { after, limit, signal, run, task };
      const events = [];
      for await (const page of yard.events(asked)) {
        if (!page.ok) return page;
        events.push(...page.value);
      }
      return ok({ events, seq: events.at(-1)?.seq ?? after });
    },
  });
  addTool(server, session, 'summary', {
    title: 'Summary of a run',
    description: 'What a run did: tasks, spend, merge queue, incidents.',
    input: z.object({ run: z.string().optional().describe('The newest if absent') }),
    output: z.looseObject({ run: z.string() }),
    effect: 'read',
    run: ({ run }, { yard }) => yard.summary(run),
  });
}

function isUnderWay({ run }: View): boolean {
  return run.state === 'running' || run.state === 'stopping';
}

/** A key for each decision that waits for a person. A task that fails again has another one. */
function needsIn({ needsYou, tasks }: View): readonly string[] {
  const attempts = new Map(tasks.map((task) => [task.id, task.attempts]));
  return needsYou.map((need) => {
    const since = 'since' in need ? need.since : '';
    return `${need.kind} ${subjectOf(need)} ${attempts.get(subjectOf(need)) ?? 0} ${since}`;
  });
}

const done = new Set(['landed', 'delivered', 'skipped', 'canceled', 'done']);

function shown(view: View, all: boolean) {
  const { run, counts, needsYou, tasks, spend } = view;
  return {
    run,
    counts,
    needsYou,
    spend,
    tasks: all ? tasks : tasks.filter(({ state }) => !done.has(state)),
  };
}

function progressIn({ tasks, run }: View): Parameters<ToolCall['progress']> {
  const finished = tasks.filter(({ state }) => done.has(state)).length;
  const name = run.state === 'none' ? 'no run' : `run ${run.id} is ${run.state}`;
  return [finished, tasks.length, `${finished} of ${tasks.length} tasks are done; ${name}`];
}

/** Starts `ym` and waits until its run is stored, so that the answer can name it. */
async function startedRun(
  session: Session,
  words: readonly string[],
  { yard, client }: ToolCall,
): Promise<Result<object, Sentences>> {
  const before = await lastSeq(yard);
  // The client does not wait for what the run has not caused.
  const view = await yard.status();
  if (view.ok) session.needs.set(client, new Set(needsIn(view.value)));
  const program = await settled(session.options.start(words, client));
  if (!program.ok) return { ok: false, failure: sentencesOf(program.failure) };
  const { output, ended } = program.value;
  let exit: number | undefined;
  void ended.then((code) => {
    exit = code;
  });
  for (const until = Date.now() + startMs; Date.now() < until; await sleep(pollMs / 5)) {
    const isOver = exit !== undefined;
    const run = await runAfter(yard, before);
    if (run !== undefined) return ok({ run, output });
    if (isOver) break;
  }
  return refused(
    exit === undefined
      ? `\`ym ${words[0]}\` has not started a run yet.`
      : `\`ym ${words[0]}\` ended without a run.`,
    `Its output is in ${output}; \`status\` shows whether there is something to do.`,
  );
}

async function lastSeq(yard: Yard): Promise<number> {
  for await (const page of yard.events({ limit: 1 }))
    if (page.ok) return page.value.at(-1)?.seq ?? 0;
  return 0;
}

async function runAfter(yard: Yard, after: number): Promise<string | undefined> {
  for await (const page of yard.events({ after })) {
    const begun = (page.ok ? page.value : []).find(
      ({ type }) => type === 'run-started' || type === 'run-resumed',
    );
    if (begun !== undefined) return String(begun.run);
  }
  return undefined;
}
