import {
  type Dirent,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
} from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import type { SourceChange, SourceState } from '../model/source-change.ts';
import type { Written } from '../port/task-tracker.ts';
import { runTool } from '../process/tool.ts';
import { readTicket } from './oompa.ts';
import type { ToolPlace } from './tracker.ts';

const folders: Readonly<Record<SourceState, string>> = {
  open: 'pending',
  claimed: 'current',
  closed: 'complete',
};

/**
 * Moves the ticket of a task to the folder of its new state. `place.dir` is the folder above `pending`. A ticket with
 * uncommitted changes stays where it is, and one that is gone needs nothing. Agents write parts of the checkout, so no
 * link in it is followed: it could lead to any file of the user.
 */
export async function moveTicket(place: ToolPlace, change: SourceChange): Promise<Written> {
  const { dir } = place;
  try {
    const elsewhere = linkIn(dir);
    if (elsewhere !== undefined) return { ok: false, note: `${elsewhere} is a symbolic link` };
    const copies = copiesOf(dir, change.id);
    const folder = folders[change.to];
    const ticket = keptOf(copies, folder, folders[change.from]);
    // A person may have finished or put back a ticket; only the engine's own claims and closings are taken back.
    const isOurs = copies.some((copy) => copy.folder === folders[change.from]);
    if (ticket === undefined || (change.to === 'open' && !isOurs)) return { ok: true };
    const others = copies.filter((copy) => copy !== ticket);
    if (ticket.folder === folder) return removeCopies(place, others, ticket.text);
    const from = join(ticket.folder, ticket.name);
    const to = join(folder, ticket.name);
    const note = refusal(dir, from, to, change.id) ?? (await uncommitted(place, from));
    if (note !== undefined) return { ok: false, note };
    mkdirSync(join(dir, folder), { recursive: true });
    const text = change.landed === undefined ? undefined : completed(ticket, change.landed);
    if (text === undefined) await rename(join(dir, from), join(dir, to));
    else await replace(join(dir, from), join(dir, to), text);
    return await removeCopies(place, others, ticket.text);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return { ok: false, note: error.message };
  }
}

function linkIn(dir: string): string | undefined {
  if (realpathSync(dir) !== dir) return basename(dir);
  const isLink = (folder: string): boolean =>
    lstatSync(join(dir, folder), { throwIfNoEntry: false })?.isSymbolicLink() === true;
  return Object.values(folders).find(isLink);
}

interface TicketPlace {
  readonly folder: string;
  readonly name: string;
  readonly text: string;
}

/** The ticket in every folder that has it: after a crash, or if a landing changed the file that was moved away. */
function copiesOf(dir: string, id: string): readonly TicketPlace[] {
  return Object.values(folders).flatMap((folder) =>
    ticketNames(join(dir, folder)).flatMap((name) => {
      const text = readFileSync(join(dir, folder, name), 'utf8');
      return idIn(name, text) === id ? [{ folder, name, text }] : [];
    }),
  );
}

/** The copy that counts: the one that is there already, else one that a landing wrote, else the one that we moved. */
function keptOf(copies: readonly TicketPlace[], to: string, from: string): TicketPlace | undefined {
  const there = copies.find(({ folder }) => folder === to);
  return there ?? copies.find(({ folder }) => folder !== from) ?? copies[0];
}

/** Removes the other copies of a ticket, unless one has text that neither `kept` nor git has. */
async function removeCopies(
  place: ToolPlace,
  copies: readonly TicketPlace[],
  kept: string,
): Promise<Written> {
  for (const { folder, name, text } of copies) {
    const file = join(folder, name);
    const isSame = kept.startsWith(text.slice(0, text.lastIndexOf('}')).trimEnd());
    if (!isSame && !(await isInGit(place, file))) {
      return { ok: false, note: `${file} is a second copy of the ticket; remove one of them` };
    }
    await rm(join(place.dir, file));
  }
  return { ok: true };
}

/** True if git has the content of a file, so that nothing is lost with it. */
async function isInGit({ dir, env }: ToolPlace, file: string): Promise<boolean> {
  const git = (...args: readonly string[]) => runTool({ program: 'git', args, dir, env });
  const hashed = await git('hash-object', '--no-filters', '--', file);
  if (hashed.id !== 'ended' || hashed.exit !== 0) return false;
  const known = await git('cat-file', '-e', hashed.stdout.trim());
  return known.id === 'ended' && known.exit === 0;
}

function ticketNames(dir: string): readonly string[] {
  let entries: readonly Dirent[];
  try {
    entries = readdirSync(dir, { withFileTypes: true });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
  return entries
    .filter((entry) => entry.isFile() && /^[^._].*\.(?:json|edn)$/i.test(entry.name))
    .map(({ name }) => name)
    .sort();
}

function idIn(name: string, text: string): string | undefined {
  const ticket = readTicket(name, text);
  return ticket.ok ? ticket.value.id : undefined;
}

/** Reason why the file cannot be moved there; undefined if it can. */
function refusal(dir: string, from: string, to: string, id: string): string | undefined {
  const there = lstatSync(join(dir, to), { throwIfNoEntry: false });
  if (there === undefined) return undefined;
  const text = there.isFile() ? readFileSync(join(dir, to), 'utf8') : '';
  return idIn(to, text) === id ? undefined : `${from} cannot be moved: ${to} is another file`;
}

/** A sentence if the user has changed the ticket since the last commit. Outside of a repository there is none. */
async function uncommitted({ dir, env }: ToolPlace, file: string): Promise<string | undefined> {
  const args = ['status', '--porcelain=v1', '-z', '--', file];
  const done = await runTool({ program: 'git', args, dir, env });
  const isClean = done.id !== 'ended' || done.exit !== 0 || /^(?:$|\?\?|!!)/.test(done.stdout);
  return isClean ? undefined : `${file} has uncommitted changes`;
}

/** The ticket with the facts about its landing before its last brace; everything else stays as it is written. */
function completed(
  { name, text }: TicketPlace,
  landed: NonNullable<SourceChange['landed']>,
): string {
  const end = text.lastIndexOf('}');
  const head = text.slice(0, end).trimEnd();
  const facts: readonly (readonly [string, string | number])[] = [
    ['completed-by', landed.by],
    ['completed-at', new Date(landed.at).toISOString()],
    ['review-rounds', landed.reviewRounds],
    ['merged-commit', landed.commit],
  ];
  const isEdn = extname(name).toLowerCase() === '.edn';
  const lines = facts.map(([key, value]) =>
    isEdn
      ? `\n :${key} ${JSON.stringify(value)}`
      : `  ${JSON.stringify(key)}: ${JSON.stringify(value)}`,
  );
  const added = isEdn ? lines.join('') : `${head.endsWith('{') ? '' : ','}\n${lines.join(',\n')}\n`;
  return `${head}${added}${text.slice(end)}`;
}

/** Writes the new file under a temporary name, renames it, and removes the old one last. */
async function replace(from: string, to: string, text: string): Promise<void> {
  const draft = join(dirname(to), `.${basename(to)}.new`);
  // A crash may have left one. A link of this name must not be followed.
  await rm(draft, { force: true });
  await writeFile(draft, text, { flag: 'wx' });
  await rename(draft, to);
  await rm(from);
}
