import { profilesOf } from '../config/agent-pool.ts';
import type { Task } from '../model/task.ts';
import type { Project } from '../wire/project.ts';
import { projectConfig } from '../wire/project-config.ts';

/** A run would refuse such a task; who writes plans should know before. A config that cannot be read is told elsewhere. */
export function warnOfAgents(project: Project, tasks: readonly Task[]): void {
  const config = projectConfig(project);
  if (!config.ok) return;
  const agents = profilesOf(config.value);
  const known = [...agents.keys()].join(', ');
  for (const { id, agent } of tasks) {
    if (agent === undefined || agents.has(agent)) continue;
    process.stderr.write(
      `ym: ${id} asks for the agent "${agent}", which the config does not have (known: ${known}).\n`,
    );
  }
}
