import { Spend, SpendNumbers } from '../history/totals.ts';
import { Actor } from '../model/actor.ts';
import { Attempt, MergedTarget, TurnReason } from '../model/attempt.ts';
import { Call } from '../model/call.ts';
import { EventBody, envelope } from '../model/event.ts';
import { Failure } from '../model/failure.ts';
import { Finding } from '../model/finding.ts';
import { QueueEntry } from '../model/queue-entry.ts';
import { CallResult, ReviewRound } from '../model/review.ts';
import { Owner, PoolMember, RunSettings, Scope, Stop } from '../model/run.ts';
import type { Fields, Shape, ShapeNode } from '../model/shape.ts';
import { Decision, Task } from '../model/task.ts';
import { Candidate } from '../model/train-record.ts';
import { AgentCall, EndSignal, FollowUp, TurnResult, Usage } from '../model/turn.ts';
import { Verdict, VerifyOutcome } from '../model/verdict.ts';
import { Changes, Tampering, Violation } from '../model/violation.ts';
import { AttemptFile, BatchFile, ManifestFile, RunFile } from './run-file.ts';

/*
 * The JSON Schemas of stored shapes, which `scripts/build.mjs` puts into the package. They are stricter than the reader:
 * they allow no field, member or word that this version does not write.
 */

/** Shapes that a schema defines once, by name. */
const definitions: Readonly<Record<string, Shape>> = {
  actor: Actor,
  agentCall: AgentCall,
  attempt: Attempt,
  call: Call,
  callResult: CallResult,
  candidate: Candidate,
  changes: Changes,
  decision: Decision,
  endSignal: EndSignal,
  entry: QueueEntry,
  failure: Failure,
  finding: Finding,
  followUp: FollowUp,
  'merged-target': MergedTarget,
  owner: Owner,
  poolMember: PoolMember,
  reviewRound: ReviewRound,
  scope: Scope,
  settings: RunSettings,
  spend: Spend,
  spent: SpendNumbers,
  stop: Stop,
  tampering: Tampering,
  task: Task,
  turnReason: TurnReason,
  turnResult: TurnResult,
  usage: Usage,
  verdict: Verdict,
  verifyOutcome: VerifyOutcome,
  violation: Violation,
};
const nameOf = new Map(Object.entries(definitions).map(([name, { node }]) => [node, name]));

export function jsonSchemas(): Readonly<Record<string, string>> {
  const files = {
    'event.json': ['One event of the log of a project.', EventBody, envelope],
    'run.json': ['run.json: one run as a whole.', RunFile, {}],
    'manifest.json': ['manifest.json: what went through each slot of a run.', ManifestFile, {}],
    'attempt.json': ['attempt.json: one try at one task.', AttemptFile, {}],
    'batch.json': [
      'batch-NNN.json: tasks that should start next, or why none was chosen.',
      BatchFile,
      {},
    ],
  } as const;
  return Object.fromEntries(
    Object.entries(files).map(([name, [description, { node }, more]]) => {
      const used: Schemas = {};
      const schema = {
        $schema: 'http://json-schema.org/draft-07/schema#',
        description,
        ...schemaOf(node, used, more),
        definitions: used,
      };
      return [name, `${JSON.stringify(schema, undefined, 2)}\n`];
    }),
  );
}

type Schemas = Record<string, object>;

/** Refers to a shape with a name, and defines it in `used`. */
function refTo({ node, description }: Shape, used: Schemas): object {
  if (node.kind === 'later') return refTo(node.shape(), used);
  const name = nameOf.get(node);
  const more = description === undefined ? {} : { description };
  if (name === undefined) return { ...schemaOf(node, used), ...more };
  if (used[name] === undefined) {
    // It may hold itself.
    used[name] = {};
    used[name] = schemaOf(node, used);
  }
  return { $ref: `#/definitions/${name}`, ...more };
}

function schemaOf(node: ShapeNode, used: Schemas, more: Fields = {}): object {
  switch (node.kind) {
    case 'text':
      return { type: 'string' };
    case 'bool':
      return { type: 'boolean' };
    case 'number': {
      const least = node.least === undefined ? {} : { minimum: node.least };
      return { type: node.whole ? 'integer' : 'number', ...least };
    }
    case 'words': {
      const [word] = node.words;
      return node.words.length === 1 ? { const: word } : { enum: node.words };
    }
    case 'list':
      return { type: 'array', items: refTo(node.of, used) };
    case 'map':
      return { type: 'object', additionalProperties: refTo(node.of, used) };
    case 'object':
      return objectSchema({ ...node.fields, ...more }, used);
    case 'union': {
      const members = Object.entries(node.members).map(([key, fields]) => {
        const word = key === 'true' ? true : key === 'false' ? false : key;
        const tag: Shape = { node: { kind: 'words', words: [word] } };
        return objectSchema({ [node.tag]: tag, ...fields, ...more }, used);
      });
      return { oneOf: members };
    }
    case 'either':
      return { anyOf: node.shapes.map((shape) => refTo(shape, used)) };
    case 'later':
      return refTo(node.shape(), used);
  }
}

function objectSchema(fields: Fields, used: Schemas): object {
  const entries = Object.entries(fields);
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([key, shape]) => [key, refTo(shape, used)])),
    required: entries.filter(([, shape]) => shape.optional !== true).map(([key]) => key),
    additionalProperties: false,
  };
}
