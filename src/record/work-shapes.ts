import { z } from 'zod';
import { severities } from '../model/finding.ts';
import { count, failure, names, turnFacts } from './turn-shapes.ts';

/* Published shapes of changes, violations, merges, reviews and verification; see `shapes.ts`. */

export const changes = z
  .strictObject({ files: names, count, added: count, removed: count })
  .meta({ id: 'changes' });

const ofFile = { file: z.string() };

const violation = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('protected-path'), ...ofFile, pattern: z.string() }),
    z.strictObject({ kind: z.literal('gate-changed'), ...ofFile, what: z.string() }),
    z.strictObject({ kind: z.literal('out-of-scope'), ...ofFile, allowed: names }),
    z.strictObject({
      kind: z.literal('too-large'),
      what: z.enum(['files', 'lines']),
      value: count,
      limit: count,
    }),
    z.strictObject({ kind: z.literal('test-deleted'), ...ofFile }),
    z.strictObject({ kind: z.literal('test-emptied'), ...ofFile }),
    z.strictObject({ kind: z.literal('test-skipped'), ...ofFile, line: z.string() }),
    z.strictObject({ kind: z.literal('test-weakened'), ...ofFile, line: z.string() }),
    z.strictObject({ kind: z.literal('nested-repository'), ...ofFile }),
    z.strictObject({ kind: z.literal('lines-dropped'), ...ofFile, lines: names }),
  ])
  .meta({ id: 'violation' });
export const violations = z.array(violation).readonly();

const tampering = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('git-hook'), name: z.string() }),
    z.strictObject({ kind: z.literal('git-settings'), ...ofFile }),
    z.strictObject({
      kind: z.literal('ref-moved'),
      ref: z.string(),
      from: z.string().exactOptional(),
      to: z.string().exactOptional(),
    }),
    z.strictObject({ kind: z.literal('checkout-changed'), dir: z.string(), files: names }),
    z.strictObject({ kind: z.literal('worktree-changed'), task: z.string(), dir: z.string() }),
    z.strictObject({ kind: z.literal('verdict-forged'), tree: z.string() }),
  ])
  .meta({ id: 'tampering' });
export const tamperings = z.array(tampering).readonly();

const unmarked = z.strictObject({
  path: z.string(),
  how: z.enum(['deleted-by-us', 'deleted-by-them', 'changed-by-both']),
});
const ofMerge = { onto: z.string(), log: z.string(), stat: z.string() };
export const mergedTarget = z
  .discriminatedUnion('id', [
    z.strictObject({ id: z.literal('clean'), ...ofMerge, commit: z.string() }),
    z.strictObject({
      id: z.literal('conflicts'),
      ...ofMerge,
      files: names,
      unmarked: z.array(unmarked).readonly().exactOptional(),
    }),
    z.strictObject({ id: z.literal('none'), ...ofMerge, cause: z.string() }),
  ])
  .meta({ id: 'merged-target' });

const finding = z
  .strictObject({
    id: z.string(),
    severity: z.enum(severities),
    file: z.string().exactOptional(),
    line: z.int().exactOptional(),
    text: z.string(),
  })
  .meta({ id: 'finding' });

const voted = z.strictObject({
  ok: z.literal(true),
  verdict: z.enum(['approved', 'needs-changes']),
  findings: z.array(finding).readonly(),
  ...turnFacts,
});
const improved = z.strictObject({ ok: z.literal(true), body: z.string(), ...turnFacts });
const undecided = z.strictObject({ ok: z.literal(false), failure, ...turnFacts });

export const callResult = z.union([voted, improved, undecided]).meta({ id: 'callResult' });

const command = { command: z.string() };

const evidence = z.strictObject({
  failures: z.array(z.strictObject({ name: z.string(), message: z.string() })),
  unlisted: count,
  signs: names,
  head: z.string(),
});

export const verifyOutcome = z
  .discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('passed'), ...command, ms: z.number() }),
    z.strictObject({
      kind: z.literal('failed'),
      ...command,
      exit: z.int(),
      ms: z.number(),
      tail: z.string(),
      evidence: evidence.exactOptional(),
      culprit: z.strictObject({ commit: z.string(), tasks: names }).exactOptional(),
    }),
    z.strictObject({ kind: z.literal('timed-out'), ...command, budgetMs: count }),
    z.strictObject({ kind: z.literal('skipped'), reason: z.string() }),
  ])
  .meta({ id: 'verifyOutcome' });
