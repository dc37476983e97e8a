import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { outcomeOf, Trouble } from '../model/trouble.ts';
import { gitFailed } from './command.ts';
import { type Repo, resolveCommit, runInRepo } from './repo.ts';

/** Git names the first object that it cannot read. */
const named = /^fatal: (?:bad|missing|loose|unable to read)\b.*?\b([0-9a-f]{40,64})\b/m;

/** Files of the object store when all objects were last found. */
const complete = new WeakMap<Repo, ReadonlySet<string>>();

/**
 * The first object of a commit's files that the repository lacks or cannot read. Reads every folder of the commit, but
 * no file. Objects that a partial clone has not fetched do not count. Git is asked only if files of the object store have
 * vanished since the last time that it found everything.
 */
export async function missingObject(repo: Repo, commit: string): Promise<string | undefined> {
  const place = await repo.place();
  // Without this folder git does not recognize the repository.
  const objects = join(place.commonDir, 'objects');
  if (!existsSync(objects)) return commit;
  const found = await outcomeOf(resolveCommit(repo, commit));
  if (found.ok && found.value === undefined) return commit;
  const files = filesIn(objects);
  const before = complete.get(repo);
  if (before !== undefined && [...before].every((file) => files.has(file))) return;
  const how = ['--objects', '--no-walk', '--quiet', '--exclude-promisor-objects'];
  const args = ['rev-list', ...how, commit];
  const done = await runInRepo(repo, args);
  const { exit, stderr } = done;
  if (exit === 0) complete.set(repo, files);
  if (exit === 0) return;
  const object = named.exec(stderr)?.[1];
  if (object === undefined) throw new Trouble(gitFailed(args, exit, stderr));
  return object;
}

/** Names of packs and loose objects. A folder that cannot be read has none. Synchronous: up to 257 folders. */
function filesIn(objects: string): ReadonlySet<string> {
  const folders = namesIn(objects).filter((name) => name === 'pack' || /^[0-9a-f]{2}$/.test(name));
  return new Set(
    folders.flatMap((folder) => namesIn(join(objects, folder)).map((name) => folder + name)),
  );
}

function namesIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir);
  } catch (error) {
    if (error instanceof Error && 'code' in error) return [];
    throw error;
  }
}
