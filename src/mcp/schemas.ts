import { z } from 'zod';

/** Parts of what tools take and return. Answers may have more fields than their schema names. */

export const id = z.string().describe('Id of a task');
export const ids = z.array(z.string());
const text = z.string();

/** Fields of a task, as a plan file names them. */
export const newTask = z.object({
  title: text.describe('What is to be done, in one line'),
  id: text.optional().describe('Short id; made from the title if absent'),
  body: text.optional().describe('Everything the agent must know: context, constraints, pointers'),
  after: ids.optional().describe('Ids of tasks that must land before this one starts'),
  paths: ids.optional().describe('Files and folders that it will change; avoids conflicts'),
  acceptance: ids.optional().describe('Conditions that the finished work meets'),
  checks: ids.optional().describe('Shell commands that must pass on the finished work'),
  priority: z.number().int().min(0).max(4).optional().describe('0 is the most urgent, default 2'),
  type: text.optional(),
  labels: ids.optional(),
  agent: text.optional().describe('Agent profile; the default of the project if absent'),
  estimate: text.optional().describe('Expected time, such as 30m'),
});

export const failure = z.looseObject({ kind: text, what: text, do: text.optional() });

export const taskState = z.looseObject({
  id: text,
  title: text,
  state: text,
  priority: z.number(),
  attempts: z.number(),
  waitsFor: ids,
  failure: failure.optional(),
});

export const decided = z.object({ ids, text });

export const runState = z.looseObject({ state: text, id: text.optional() });

export const need = z.looseObject({ kind: text, command: text, failure });

/** Longest text of one answer: a model reads all of it. */
export const maxChars = z
  .number()
  .int()
  .min(100)
  .max(200_000)
  .default(20_000)
  .describe('Longest text to return');
