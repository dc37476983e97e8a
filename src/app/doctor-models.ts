import type { Config } from '../config/config.ts';
import type { ModelRules } from '../model/run.ts';
import { newTask, type Task } from '../model/task.ts';
import { settled } from '../model/trouble.ts';
import { modelsNeeded } from '../plan/agent-pool.ts';
import { tasksAtWork } from '../plan/best-of.ts';
import { answerText } from '../report/run/model-probe.ts';
import type { Finding } from './doctor.ts';
import { reading } from './lookup.ts';
import { type ProbedModel, probeModels } from './model-probe.ts';
import type { Project } from './ports.ts';
import { settingsOf } from './preflight.ts';

/**
 * Asks every agent and model that a run of the open tasks may need, and those that the rules of the config name. One
 * finding each.
 */
export async function examineModels(
  project: Project,
  config: Config,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const scope = { kind: 'ready' } as const;
  const settings = settingsOf(config, project, { target: '', scope, gate: '', quickGate: false });
  // The finding about agents reports that there is none.
  if (!settings.ok) return [];
  const stored = await reading(project, (store) => store.tasks());
  const open = (stored.ok ? stored.value : [])
    .filter(({ status }) => status.id === 'open' || status.id === 'failed')
    .map(({ task }) => task);
  const tasks = tasksAtWork([...open, ...tasksOfRules(config.models)], settings.value);
  const needed = modelsNeeded(settings.value, tasks);
  const probed = await settled(probeModels(project, config, needed, signal));
  if (!probed.ok) return [{ name: 'model', text: '', trouble: probed.failure }];
  return probed.value.map(findingOf);
}

/** A task for each rule about models. */
function tasksOfRules({ byPriority = {}, byType = {} }: ModelRules): readonly Task[] {
  const task = { id: '', title: '' };
  return [
    ...([0, 1, 2, 3, 4] as const)
      .filter((priority) => `P${priority}` in byPriority)
      .map((priority) => newTask({ ...task, priority })),
    ...Object.keys(byType).map((type) => newTask({ ...task, type })),
  ];
}

function findingOf({ trouble, ...model }: ProbedModel): Finding {
  if (trouble === undefined) return { name: 'model', text: answerText(model), model };
  return { name: 'model', text: '', trouble, model };
}
