import { ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { nulSeparated } from './command.ts';
import { inRepo, needCommit, type Repo } from './repo.ts';

/** No process. Checks the size first, so a huge file is never read. */
export async function blob(repo: Repo, id: string): Promise<Result<Buffer | undefined>> {
  const found = await repo.reader.info(id);
  if (!found.ok) return found;
  if (found.value?.type !== 'blob' || found.value.bytes > limits.blobBytes) return ok(undefined);
  const read = await repo.reader.contents(found.value.id);
  return read.ok ? ok(read.value?.body) : read;
}

/** No process. A missing commit is a failure, so its rules are never taken for empty. */
export async function file(
  repo: Repo,
  commit: string,
  path: string,
): Promise<Result<string | undefined>> {
  const at = await needCommit(repo, commit);
  if (!at.ok) return at;
  // Git would resolve these relative to its working directory; no tree contains them.
  if (path.split('/').some((part) => part === '' || part === '.' || part === '..'))
    return ok(undefined);
  const found = await blob(repo, `${at.value}:${path}`);
  return found.ok ? ok(found.value?.toString('utf8')) : found;
}

/** One git process. */
export async function listing(
  repo: Repo,
  commit: string,
  wanted: (path: string) => boolean,
): Promise<Result<readonly { readonly path: string; readonly id: string }[]>> {
  const listed = await inRepo(repo, ['ls-tree', '-r', '-z', '--full-tree', commit]);
  if (!listed.ok) return listed;
  const lines = nulSeparated(listed.value.stdout);
  const entries = lines.map((line) => {
    const tab = line.indexOf('\t');
    return { path: line.slice(tab + 1), id: line.slice(line.lastIndexOf(' ', tab) + 1, tab) };
  });
  return ok(entries.filter(({ path }) => wanted(path)));
}
