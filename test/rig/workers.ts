// Workers of the built program: processes with folders of their own.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import {
  type Child,
  type TestProject,
  type TestProjectOptions,
  testProject,
  type touch,
  until,
  write,
} from '../rig.ts';

export const work = (id: string, ...before: ReturnType<typeof touch>[]) => [
  [...before, write(`${id}.txt`, `${id}\n`)],
];

export interface Yard extends TestProject {
  readonly hub: string;
  worker(name: string, ...args: string[]): Child;
}

/** A project with a shared repository, and workers that take its jobs through the database. */
export function withWorkers(url: string, tasks: TestProjectOptions, remote = '../hub.git'): Yard {
  const config = { ...tasks.config, workers: { remote } };
  const y = testProject({ ...tasks, config, env: { ...tasks.env, YARDMASTER_STORE: url } });
  const hub = join(y.base, 'hub.git');
  y.git('init', '-q', '--bare', hub);
  const worker = (name: string, ...args: string[]): Child => {
    const dir = join(y.base, name);
    mkdirSync(dir, { recursive: true });
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    return y.start('worker', '--name', name, '--dir', dir, ...args);
  };
  return Object.assign(y, { hub, worker });
}

export const joined = (child: Child): Promise<void> =>
  until(() => child.stdout().includes('worker '), 'the worker to start');
