import { nearest } from '../graph/nearest.ts';
import type { Failure } from '../model/failure.ts';
import { judgingProblems } from './judging-problems.ts';
import { harnessNames } from './keys.ts';
import { failureAt, type Leaf } from './layers.ts';

type Leaves = ReadonlyMap<string, Leaf>;

/** What is wrong between keys that are right by themselves, after all layers are put together. */
export function problemsAmong(leaves: Leaves): Failure[] {
  return [
    ...unknownAgents(leaves),
    ...uselessFallback(leaves),
    ...modelsWithAgent(leaves),
    ...judgingProblems(leaves),
  ];
}

/** Keys whose values are names of agents. */
const naming = [
  'agent',
  'fallback.agent',
  'review.agent',
  'critique.agent',
  'critique.improver',
] as const;

function unknownAgents(leaves: Leaves): Failure[] {
  const described = describedIn(leaves);
  const known = [...new Set([...described, ...harnessNames])];
  return naming.flatMap((key) => {
    const leaf = leaves.get(key);
    if (leaf === undefined) return [];
    const unknown = [leaf.meaning]
      .flat()
      .map(String)
      .filter((agent) => !known.includes(agent));
    return unknown.map((agent) => {
      const near = nearest(agent, known);
      const meant = near === undefined ? '' : `Did you mean "${near}"? `;
      const remedy = `${meant}Known are ${known.join(', ')}; describe others under "agents".`;
      return failureAt(leaf, `there is no agent "${agent}"`, remedy);
    });
  });
}

function uselessFallback(leaves: Leaves): Failure[] {
  const fallback = leaves.get('fallback.agent');
  if (fallback === undefined || fallback.meaning !== leaves.get('agent')?.meaning) return [];
  const problem = `the fallback is the agent itself, "${String(fallback.meaning)}"`;
  return [failureAt(fallback, problem, 'Name another agent as "fallback.agent", or take it out.')];
}

/** In front of a profile's own model an agent has no meaning: the profile says already which agent it is. */
function modelsWithAgent(leaves: Leaves): Failure[] {
  const known: readonly string[] = [...describedIn(leaves), ...harnessNames];
  return [...leaves.values()].flatMap((leaf) => {
    const { key, meaning } = leaf;
    if (!key.startsWith('agents.') || typeof meaning !== 'object' || meaning === null) return [];
    const model = 'model' in meaning ? meaning.model : undefined;
    const [agent = '', ...rest] = typeof model === 'string' ? model.split(':') : [];
    if (rest.length === 0 || !known.includes(agent)) return [];
    const problem = `"${key}.model" names an agent, "${agent}"`;
    return [failureAt(leaf, problem, `Write only the model: ${rest.join(':')}.`)];
  });
}

function describedIn(leaves: Leaves): string[] {
  return [...leaves.keys()]
    .filter((key) => key.startsWith('agents.'))
    .map((key) => key.slice('agents.'.length));
}
