import { type Dirent, existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Failure, ok, type Result, usage } from '../model/failure.ts';
import type { ForeignProblem, ForeignRun, ForeignTool } from '../model/foreign-run.ts';
import { limits } from '../model/limits.ts';
import { type Database, openDatabase } from '../record/driver.ts';
import { readText } from '../source/plan-file.ts';
import { type BoiTables, boiRun, boiSpecs, boiTables } from './boi.ts';
import { hewRun } from './hew.ts';
import { oompaRun } from './oompa.ts';
import type { ForeignFile } from './record.ts';

/** Places of runs below the folder of a project, and of boi below the home folder. */
const places = [join('.hew', 'loop'), 'runs', '.boi'];
const databases = ['boi-rust.db', 'boi.db'];

/**
 * Reads the runs of another program, newest first. `path` is a run folder, a folder of run folders, the folder of a
 * project, or boi's database. Nothing is written.
 */
export async function foreignRuns(path: string): Promise<Result<readonly ForeignRun[]>> {
  const found = placeOf(path);
  if (!found.ok) return found;
  const runs: ForeignRun[] = [];
  for (const place of found.value) {
    const read = place.tool === 'boi' ? readDatabase(place.path) : await readFolder(place);
    if (!read.ok) return read;
    runs.push(...read.value);
  }
  return ok(runs.toSorted((a, b) => (b.startedAt ?? 0) - (a.startedAt ?? 0)));
}

interface Place {
  readonly tool: ForeignTool;
  readonly path: string;
}

function placeOf(path: string): Result<readonly Place[]> {
  try {
    if (statSync(path).isFile()) return ok([{ tool: 'boi', path }]);
    const own = placesIn(path);
    const found = own.length > 0 ? own : places.flatMap((place) => placesIn(join(path, place)));
    if (found.length > 0) return ok(found);
  } catch (error) {
    return unreadable(path, error);
  }
  return usage(
    `${path} contains no run of hew, boi or oompa`,
    'Give a folder such as .hew/loop or runs, one run folder in it, or the database of boi.',
  );
}

/** The runs of a folder: itself, those right below it, or those of a database in it. */
function placesIn(path: string): readonly Place[] {
  if (!existsSync(path)) return [];
  const entries = readdirSync(path, { withFileTypes: true });
  const database = databases.find((name) => entries.some((entry) => entry.name === name));
  if (database !== undefined) return [{ tool: 'boi', path: join(path, database) }];
  const tool = toolOf(basename(path), entries);
  if (tool !== undefined) return [{ tool, path }];
  return entries
    .filter((entry) => entry.isDirectory())
    .flatMap((entry): Place[] => {
      const dir = join(path, entry.name);
      const own = toolOf(entry.name, readdirSync(dir, { withFileTypes: true }));
      return own === undefined ? [] : [{ tool: own, path: dir }];
    });
}

const hewNames =
  /^(?:manifest\.json|iter-\d+\.json|batch-\d+\.json|worker-\d+|verify\.log|\.stop)$/;
const oompaNames = /^(?:started\.json|stopped\.json|cycles|iterations|live-summary\.json)$/;

/** The program that wrote a run folder, by the names in it. */
function toolOf(name: string, entries: readonly Dirent[]): ForeignTool | undefined {
  const names = entries.map((entry) => entry.name);
  if (names.some((one) => oompaNames.test(one))) return 'oompa';
  if (names.some((one) => hewNames.test(one))) return 'hew';
  // Both programs write a `run.json` first; the names of hew's runs begin with `loop-`.
  const isLoop = /^loop-\w+/.test(name);
  return names.includes('run.json') ? (isLoop ? 'hew' : 'oompa') : isLoop ? 'hew' : undefined;
}

async function readFolder({ tool, path }: Place): Promise<Result<readonly ForeignRun[]>> {
  const files: ForeignFile[] = [];
  const problems: ForeignProblem[] = [];
  const names = namesIn(path);
  if (names.length > limits.foreignFiles) {
    return usage(
      `${path} contains ${names.length} files, more than ${limits.foreignFiles}`,
      'Copy a part of them to another folder and give that one.',
    );
  }
  for (const name of names) {
    const text = await readText(join(path, name), name);
    if (text.ok) files.push({ name, text: text.value });
    else problems.push(problemOf(text.failure));
  }
  const run = (tool === 'hew' ? hewRun : oompaRun)(basename(path), files);
  return ok([{ ...run, problems: [...problems, ...run.problems] }]);
}

function problemOf(failure: Failure): ForeignProblem {
  return failure.kind === 'source-invalid'
    ? { file: failure.file, problem: failure.problem }
    : { file: '', problem: failure.kind };
}

/** JSON files of a run folder and of the folders right below it, by name. */
function namesIn(path: string): readonly string[] {
  return (
    readdirSync(path, { withFileTypes: true })
      .flatMap((entry): string[] => {
        if (!entry.isDirectory()) return [entry.name];
        return readdirSync(join(path, entry.name)).map((name) => `${entry.name}/${name}`);
      })
      .filter((name) => /(?:^|\/)[^./][^/]*\.json$/.test(name))
      // A pipe or a device may never end.
      .filter((name) => statSync(join(path, name), { throwIfNoEntry: false })?.isFile() ?? true)
      .sort()
  );
}

function readDatabase(path: string): Result<readonly ForeignRun[]> {
  let db: Database | undefined;
  try {
    db = openDatabase(path, { readOnly: true, blockMs: limits.foreignBlockMs });
    const tables = tablesOf(db);
    const specs = boiSpecs(tables);
    return specs.length > 0
      ? ok(specs.map((id) => boiRun(basename(path), id, tables)))
      : usage(`${path} contains no spec of boi`, 'Give the database that boi writes.');
  } catch (error) {
    return unreadable(path, error);
  } finally {
    db?.close();
  }
}

function tablesOf(db: Database): BoiTables {
  const listed = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
  const known = new Set(listed.map(({ name }) => name));
  const rows = boiTables.map((table) => [
    table,
    known.has(table) ? db.prepare(`SELECT * FROM ${table} ORDER BY rowid`).all() : [],
  ]);
  return Object.fromEntries(rows) as unknown as BoiTables;
}

function unreadable(path: string, error: unknown): Result<never> {
  const cause = error instanceof Error ? error.message : String(error);
  return usage(`${path} cannot be read (${cause})`, 'Check the path and that you may read it.');
}
