import { existsSync } from 'node:fs';
import { childEnv } from '../git/env.ts';
import type { Attempt } from '../model/attempt.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { isAlive, self } from '../process/identity.ts';
import { runForeground } from '../process/shell.ts';
import { agentsOf } from './agents.ts';
import type { Project } from './project.ts';
import { projectConfig } from './project-config.ts';
import { personsShell } from './shell.ts';

/** A program for a person in the worktree of an attempt. */
export interface PersonsSession {
  /** What is opened, such as `claude --resume 3f…`. */
  readonly what: string;
  /** How to leave it. */
  readonly leave: string;
  /** Returns when they have left it. */
  open(): Promise<Result<void>>;
}

export { isAlive, self };

/** The agent's own session where it has one that can be opened; else the person's shell. */
export async function personsSession(
  project: Project,
  { agent: name, session, worktree }: Attempt,
): Promise<Result<PersonsSession, Failure | readonly Failure[]>> {
  if (worktree === undefined || !existsSync(worktree.dir)) {
    return fail({ kind: 'worktree-failed', cause: 'its folder is not there any more' });
  }
  const cwd = worktree.dir;
  const config = projectConfig(project);
  if (!config.ok) return config;
  const agent = agentsOf(config.value, project.root).get(name);
  if (agent?.attach === undefined || session === undefined) {
    return ok({ what: 'your shell', leave: 'with `exit`', open: () => personsShell(cwd) });
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
  return ok({ what: `\`${[name, ...args].join(' ')}\``, leave: 'as you always leave it', open });
}
