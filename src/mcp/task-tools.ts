import type { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { defined } from '../model/defined.ts';
import { ok } from '../model/failure.ts';
import { TranscriptText } from '../report/task/transcript.ts';
import { failure, id, ids, maxChars, newTask, taskState } from './schemas.ts';
import type { Session } from './session.ts';
import { addTool } from './tool.ts';

/** Tools that plan work and show tasks. */
export function addTaskTools(server: McpServer, session: Session): void {
  addTool(server, session, 'add', {
    title: 'Add a task',
    description:
      'Adds one task. For several tasks that depend on each other, write a plan file and use `import`.',
    input: newTask,
    output: z.looseObject({ task: z.looseObject({ id: z.string() }), warnings: ids }),
    effect: 'write',
    async run(task, { yard }) {
      const { title, ...fields } = task;
      const added = await yard.add({ title, ...defined(fields) });
      if (!added.ok) return added;
      const { warnings, ...stored } = added.value;
      return ok({ task: stored, warnings });
    },
  });
  addTool(server, session, 'import', {
    title: 'Import a plan',
    description: 'Adds and changes the tasks of plan files or other sources, all or none.',
    input: z.object({
      sources: ids.min(1).describe('Paths relative to the project, such as plan.yaml'),
      dry_run: z.boolean().default(false).describe('Only tell what would change'),
    }),
    output: z.looseObject({ added: ids, changed: ids, removed: ids, warnings: ids }),
    effect: 'write',
    run: ({ sources, dry_run: dryRun }, { yard }) => yard.import(sources, { dryRun }),
  });
  addTool(server, session, 'plan', {
    title: 'Order of work',
    description:
      'Order of the open tasks, what can run in parallel, dependencies that tasks should declare, and concerns.',
    input: z.object({
      sources: ids.optional().describe('Plan files to look at before they are imported'),
    }),
    output: z.looseObject({
      tasks: z.array(z.looseObject({ id: z.string(), position: z.number(), waitsFor: ids })),
      waves: z.array(ids),
      criticalPath: ids,
      found: z.array(z.looseObject({ before: z.string(), after: z.string() })),
      concerns: z.array(z.looseObject({ severity: z.string(), text: z.string() })),
    }),
    effect: 'read',
    run: ({ sources }, { yard, signal }) => yard.plan({ signal, sources }),
  });
  addTool(server, session, 'graph', {
    title: 'Task graph',
    description: 'All tasks with their states and dependencies, and the critical path.',
    input: z.object({}),
    output: z.looseObject({
      nodes: z.array(z.looseObject({ id: z.string(), state: z.string(), after: ids })),
      critical: ids,
    }),
    effect: 'read',
    run: (_none, { yard }) => yard.graph(),
  });
  addViews(server, session);
}

function addViews(server: McpServer, session: Session): void {
  addTool(server, session, 'why', {
    title: 'Explain a task',
    description:
      'State of a task, the reason for it, what to do next, and everything that happened.',
    input: z.object({ id }),
    output: z.looseObject({
      view: taskState,
      task: z.looseObject({ id: z.string(), title: z.string() }),
      history: z.array(
        z.looseObject({ at: z.string(), text: z.string(), failure: failure.optional() }),
      ),
    }),
    effect: 'read',
    run: (input, { yard }) => yard.why(input.id),
  });
  addTool(server, session, 'log', {
    title: 'Output of an attempt',
    description: 'What the agent, the gate or the reviewers printed; the end of it if it is long.',
    input: z.object({
      id,
      attempt: z.number().int().min(1).optional().describe('The newest if absent'),
      shows: z.enum(['newest', 'gate', 'review', 'critique']).default('newest'),
      max_chars: maxChars,
    }),
    output: z.object({ task: z.string(), attempt: z.number(), text: z.string(), cut: z.boolean() }),
    effect: 'read',
    async run({ id: task, attempt, shows, max_chars: most }, { yard }) {
      const log = await yard.log(task, { shows, attempt });
      if (!log.ok) return log;
      const text = log.value.files
        .map((file) =>
          'text' in file
            ? file.text
            : new TranscriptText().entries(file.entries) + new TranscriptText().end([], file.usage),
        )
        .join('');
      const cut = text.length > most;
      return ok({ task, attempt: log.value.attempt, text: text.slice(-most), cut });
    },
  });
  addTool(server, session, 'diff', {
    title: 'Change of an attempt',
    description: 'What an attempt changed: files with counts of lines, and the patch.',
    input: z.object({
      id,
      attempt: z.number().int().min(1).optional().describe('The newest if absent'),
      max_chars: maxChars,
    }),
    output: z.looseObject({
      task: z.string(),
      attempt: z.number(),
      files: z.array(z.looseObject({ path: z.string() })),
      patch: z.string(),
      cut: z.boolean(),
    }),
    effect: 'read',
    async run({ id: task, attempt, max_chars: most }, { yard }) {
      const diff = await yard.diff(task, attempt);
      if (!diff.ok) return diff;
      const { patch } = diff.value;
      return ok({ ...diff.value, patch: patch.slice(0, most), cut: patch.length > most });
    },
  });
}
