import { didYouMean, nearest } from '../graph/nearest.ts';
import type { Failure } from '../model/failure.ts';
import { storeAddress } from '../model/store-address.ts';
import { settableKeys } from './keys.ts';
import { failureAt, type Leaf } from './layers.ts';
import { agentNames } from './profile.ts';

type Leaves = ReadonlyMap<string, Leaf>;

/** Reports values that are valid alone but not together, after all layers are merged. */
export function problemsAmong(leaves: Leaves): Failure[] {
  return [
    ...unknownAgents(leaves),
    ...combinations.flatMap(({ key, clashes, problem, remedy }) => {
      const leaf = leaves.get(key);
      return leaf !== undefined && clashes(leaves) ? [failureAt(leaf, problem, remedy)] : [];
    }),
    ...modelsWithAgent(leaves),
    ...stagesWithoutAgent(leaves),
    ...testsWithoutGate(leaves),
  ];
}

interface Combination {
  readonly key: string;
  readonly clashes: (leaves: Leaves) => boolean;
  readonly problem: string;
  readonly remedy: string;
}

const combinations: readonly Combination[] = [
  {
    key: 'fallback.agent',
    clashes: (leaves) => leaves.get('fallback.agent')?.meaning === leaves.get('agent')?.meaning,
    problem: 'the fallback agent is the same as the default agent',
    remedy: 'Name another agent as "fallback.agent", or remove it.',
  },
  {
    key: 'gate.quick',
    clashes: (leaves) => leaves.get('gate.branch')?.meaning === 'never',
    problem: '"gate.quick" has no effect with "gate.branch: never"',
    remedy: 'Write "gate.branch: always" or auto, or remove the key.',
  },
  {
    key: 'store',
    clashes: (leaves) => {
      const store = leaves.get('store');
      if (store?.origin !== 'project file') return false;
      const address = storeAddress(String(store.meaning));
      return address?.kind === 'postgres' && address.secrets.length > 0;
    },
    problem: '"store" contains a password, and this file is committed',
    remedy:
      'Leave the password out, and put it into YARDMASTER_STORE, your own config file or ~/.pgpass.',
  },
  {
    key: 'critique.improver',
    clashes: (leaves) => !leaves.has('critique.agent'),
    problem: '"critique.improver" has no effect without "critique.agent"',
    remedy: 'Name a critic as "critique.agent", or remove the key.',
  },
];

function unknownAgents(leaves: Leaves): Failure[] {
  const known = knownAgents(leaves);
  const naming = settableKeys.filter(({ kind }) => kind.namesAgent === true);
  return naming.flatMap(({ key }) => {
    const leaf = leaves.get(key);
    if (leaf === undefined) return [];
    const unknown = [leaf.meaning]
      .flat()
      .map(String)
      .filter((agent) => !known.includes(agent));
    return unknown.map((agent) => {
      const near = nearest(agent, known);
      const remedy = `${didYouMean(near)}Known agents: ${known.join(', ')}. Describe others under "agents".`;
      return failureAt(leaf, `there is no agent "${agent}"`, remedy);
    });
  });
}

/** A profile's model must not name an agent: the profile already is one. */
function modelsWithAgent(leaves: Leaves): Failure[] {
  const known = knownAgents(leaves);
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

/** Agents that the config describes, then those that need no profile. */
function knownAgents(leaves: Leaves): readonly string[] {
  const described = [...leaves.keys()]
    .filter((key) => key.startsWith('agents.'))
    .map((key) => key.slice('agents.'.length));
  return [...new Set([...described, ...agentNames])];
}

/** Only a gate can tell whether tests fail. */
function testsWithoutGate(leaves: Leaves): Failure[] {
  if (leaves.get('gate')?.meaning !== 'none') return [];
  return [...leaves.values()].flatMap((leaf) => {
    const { key, meaning } = leaf;
    const isStage =
      key.startsWith('pipeline.') && Array.isArray(meaning) && meaning.includes('tests');
    if (!isStage && key !== 'tests.agent') return [];
    const remedy = 'Set up "gate.commands", or write no tests first.';
    return [failureAt(leaf, `"${key}" needs a gate, and "gate" is none`, remedy)];
  });
}

function stagesWithoutAgent(leaves: Leaves): Failure[] {
  const isReviewed = leaves.has('review.agent') || leaves.get('review.person')?.meaning === true;
  const missing = [
    ...(isReviewed ? [] : ['review']),
    ...(leaves.has('critique.agent') ? [] : ['critique']),
  ];
  return [...leaves.values()].flatMap((leaf) => {
    const { key, meaning } = leaf;
    if (!key.startsWith('pipeline.') || !Array.isArray(meaning)) return [];
    const stages: readonly unknown[] = meaning;
    return missing
      .filter((stage) => stages.includes(stage))
      .map((stage) => failureAt(leaf, `"${key}" has ${stage}, but no agent for it`, setUp(stage)));
  });
}

function setUp(stage: string): string {
  return stage === 'review'
    ? 'Name a reviewer as "review.agent", write "review.person: true", or remove review from the list.'
    : 'Name a critic as "critique.agent", or remove critique from the list.';
}
