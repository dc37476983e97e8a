import { join } from 'node:path';
import { redactorFor } from '../app/config.ts';
import { planReviser } from '../app/plan-revision.ts';
import type { EngineRequest, Project } from '../app/ports.ts';
import { ghForge } from '../delivery/gh.ts';
import type { Ports } from '../engine/context.ts';
import { lowSpace, writtenPlaces } from '../files/space.ts';
import { childEnv } from '../git/env.ts';
import { folderMailboxes } from '../mailbox/folder.ts';
import { ok, type Result } from '../model/failure.ts';
import { orphanedGitEnded } from '../process/occupants.ts';
import { outsideOf } from '../process/outside.ts';
import { taskTracker } from '../source/write-back.ts';
import { archive } from '../worktree/archive.ts';
import { worktreePool } from '../worktree/pool.ts';
import { preparedOnDisk } from '../worktree/prepared-disk.ts';
import { copyFiles } from '../worktree/slot-files.ts';
import { crashing } from './crash.ts';
import { guardOf } from './guard.ts';

/** Opens everything outside the engine that a run uses. */
export async function enginePorts(
  project: Omit<Project, 'engine'>,
  { run, config, agents, sandbox, jobs, store }: EngineRequest,
): Promise<Result<Ports>> {
  const { git, clock, env, root, stateDir, id } = project;
  const prepared = preparedOnDisk({ stateDir, project: id });
  const { release } = prepared;
  await orphanedGitEnded(join(stateDir, id));
  const pool = await worktreePool({ git, stateDir, project: id, run, slots: jobs, release });
  if (!pool.ok) return pool;
  const { copy } = config.worktree;
  const guard = await guardOf(project);
  return ok(
    crashing({
      git,
      processes: await project.children(config, sandbox),
      store,
      clock,
      pool: pool.value,
      prepared,
      agent: (name) => agents.get(name),
      guard,
      mailboxes: folderMailboxes(redactorFor(config, env).whole),
      forge: ghForge({ dir: root, env: childEnv(env) }),
      reviser: planReviser(config),
      outside: outsideOf({ root, env: childEnv(env) }),
      tracker: taskTracker({ dir: root, env: childEnv(env) }),
      space: () => lowSpace(writtenPlaces(project)),
      archive: (worktree, paths, file) => archive(worktree, paths, file, childEnv(env)),
      copyFiles: (worktree) =>
        copy.length === 0 ? Promise.resolve(ok([])) : copyFiles(root, worktree, copy),
    }),
  );
}
