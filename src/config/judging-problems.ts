import type { Failure } from '../model/failure.ts';
import { failureAt, type Leaf } from './layers.ts';

type Leaves = ReadonlyMap<string, Leaf>;

/** Keys about judging that are right by themselves and make no sense together. */
export function judgingProblems(leaves: Leaves): Failure[] {
  return [...uselessQuick(leaves), ...uselessImprover(leaves), ...stagesOfNobody(leaves)];
}

function uselessQuick(leaves: Leaves): Failure[] {
  const quick = leaves.get('gate.quick');
  if (quick === undefined || leaves.get('gate.branch')?.meaning !== 'never') return [];
  const problem = '"gate.quick" has no effect with "gate.branch: never"';
  return [failureAt(quick, problem, 'Write "gate.branch: always" or auto, or take the key out.')];
}

function uselessImprover(leaves: Leaves): Failure[] {
  const improver = leaves.get('critique.improver');
  if (improver === undefined || leaves.has('critique.agent')) return [];
  const problem = '"critique.improver" has no effect without "critique.agent"';
  return [
    failureAt(improver, problem, 'Name who finds fault as "critique.agent", or take it out.'),
  ];
}

function stagesOfNobody(leaves: Leaves): Failure[] {
  const missing = [
    ...(hasReview(leaves) ? [] : ['review']),
    ...(leaves.has('critique.agent') ? [] : ['critique']),
  ];
  return [...leaves.values()].flatMap((leaf) => {
    const { key, meaning } = leaf;
    if (!key.startsWith('pipeline.') || !Array.isArray(meaning)) return [];
    const stages: readonly unknown[] = meaning;
    return missing
      .filter((stage) => stages.includes(stage))
      .map((stage) => failureAt(leaf, `"${key}" has ${stage}, and nobody does it`, setUp(stage)));
  });
}

function hasReview(leaves: Leaves): boolean {
  return leaves.has('review.agent') || leaves.get('review.person')?.meaning === true;
}

function setUp(stage: string): string {
  return stage === 'review'
    ? 'Name a reviewer as "review.agent", write "review.person: true", or take review out of the list.'
    : 'Name a critic as "critique.agent", or take critique out of the list.';
}
