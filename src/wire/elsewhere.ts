import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { projectRedactor } from '../app/config.ts';
import type { Elsewhere, Project } from '../app/ports.ts';
import type { Config } from '../config/config.ts';
import { runsDir } from '../files/layout.ts';
import { gitCourier } from '../git/courier.ts';
import { openDispatch } from '../job/dispatch.ts';
import { sharedFiles } from '../job/shared-files.ts';
import { ok, type Result, usage } from '../model/failure.ts';
import type { PostgresAddress, StoreAddress } from '../model/store-address.ts';
import { settled } from '../model/trouble.ts';
import type { Courier, Dispatch } from '../port/workers.ts';
import { version } from './version.ts';

type Here = Pick<Project, 'git' | 'root' | 'dir' | 'env'>;

/** Opens the ways to workers of a run, if the config names a shared repository. Without a run, nobody is told. */
export async function elsewhereOf(
  here: Here,
  setting: Result<StoreAddress>,
  { workers: { remote } }: Pick<Config, 'workers'>,
  run: string,
): Promise<Result<Elsewhere | undefined>> {
  if (remote === undefined) return ok(undefined);
  if (!setting.ok) return setting;
  if (setting.value.kind === 'postgres') return openElsewhere(here, setting.value, remote, run);
  return usage(
    '"workers.remote" needs records that other machines reach',
    'Set `store` to a Postgres database, or remove `workers.remote`.',
  );
}

/** Courier to the shared repository; undefined if the config names none. */
export function courierOf(
  { git, root, env }: Omit<Here, 'dir'>,
  { workers: { remote } }: Pick<Config, 'workers'>,
  run: string,
): Courier | undefined {
  if (remote === undefined) return undefined;
  return gitCourier({ git, dir: root, remote: placeOf(root, remote), run, env });
}

/** A path of a repository is relative to the checkout. */
function placeOf(root: string, remote: string): string {
  const path = resolve(root, remote);
  return existsSync(path) ? path : remote;
}

async function openElsewhere(
  { git, root, dir, env }: Here,
  address: PostgresAddress,
  given: string,
  run: string,
): Promise<Result<Elsewhere>> {
  const remote = placeOf(root, given);
  const dispatch = await openDispatch(address);
  if (!dispatch.ok) return dispatch;
  const told = run === '' ? ok(undefined) : await settled(published(git, dispatch.value, remote));
  if (!told.ok) {
    await dispatch.value.close();
    return told;
  }
  const courier = gitCourier({ git, dir: root, remote, run, env });
  const files = sharedFiles(address, runsDir({ dir }), projectRedactor({ root, env }));
  return ok({ dispatch: dispatch.value, courier, files, version: version() });
}

/** Tells workers where commits are, in whose name they are made, and which version the run has. */
async function published(
  git: Here['git'],
  dispatch: Dispatch,
  remote: string,
): Promise<Result<void>> {
  const identity = await git.identity();
  return dispatch.publish({ remote, identity, version: version() });
}

/** Gets the files of a run that other machines wrote. */
export async function fetchFiles(
  { root, dir, env }: Pick<Project, 'root' | 'dir' | 'env'>,
  address: PostgresAddress,
  run: string,
): Promise<Result<void>> {
  const files = sharedFiles(address, runsDir({ dir }), projectRedactor({ root, env }));
  const fetched = await files.fetch(run);
  await files.close();
  return fetched;
}
