import { existsSync } from 'node:fs';
import { childEnv } from '../git/env.ts';
import type { Attempt } from '../model/attempt.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { isAlive, self } from '../process/identity.ts';
import { runForeground } from '../process/shell.ts';
import { agentsOf } from './agents.ts';
import type { Project } from './project.ts';
import { projectConfig } from './project-config.ts';
import { openShell } from './shell.ts';

/** An interactive program in the worktree of an attempt. */
export interface UserSession {
  /** Such as `claude --resume 3f…`. */
  readonly name: string;
  /** How to leave it. */
  readonly leave: string;
  /** Returns when the user has left it. */
  open(): Promise<Result<void>>;
}

export { isAlive, self };

/** The agent's own session if it can be opened, else the user's shell. */
export async function sessionFor(
  project: Project,
  { agent: name, session, worktree }: Attempt,
): Promise<Result<UserSession, Failure | readonly Failure[]>> {
  if (worktree === undefined || !existsSync(worktree.dir)) {
    return fail({ kind: 'worktree-failed', cause: 'its folder no longer exists' });
  }
  const cwd = worktree.dir;
  const config = projectConfig(project);
  if (!config.ok) return config;
  const agent = agentsOf(config.value, project.root).get(name);
  if (agent?.attach === undefined || session === undefined) {
    return ok({ name: 'your shell', leave: 'with `exit`', open: () => openShell(cwd) });
  }
  const found = await agent.check();
  if (!found.ok) return found;
  const { argv, env } = agent.attach(session);
  const [, ...args] = argv;
  const open = async (): Promise<Result<void>> => {
    const left = await runForeground({
      argv: [found.value.binary, ...args],
      cwd,
      env: { ...childEnv(process.env), ...env },
    });
    return left.ok ? ok(undefined) : left;
  };
  return ok({ name: `\`${[name, ...args].join(' ')}\``, leave: 'as usual', open });
}
