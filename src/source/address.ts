import { existsSync, realpathSync } from 'node:fs';
import { extname, relative, resolve } from 'node:path';
import { didYouMean, nearest } from '../graph/nearest.ts';
import { fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { which } from '../process/which.ts';
import { readBeads } from './beads.ts';
import { runBeads } from './beads-tool.ts';
import { github } from './github.ts';
import { gitlab } from './gitlab.ts';
import { type Mapping, readExport, readyMappings } from './mapping.ts';
import { openSource, type Surroundings } from './open.ts';
import { inFile, readText, sourceFailure, sourceOf, type TaskSource } from './plan-file.ts';
import { type IssueQuery, type Tracker, trackerSource } from './tracker.ts';

interface SourcePlaces extends Surroundings {
  /** Environment of the programs that read trackers. */
  readonly env: Readonly<Record<string, string>>;
  readonly mappings: Readonly<Record<string, Mapping>>;
}

/** Beads through its program: `beads:`. */
const beads = 'beads';

const trackers: Readonly<Record<string, Tracker>> = { github, gitlab };

/** `github:OWNER/REPO?label=agent`, or `jira:export.csv`. */
type Address =
  | { readonly id: 'tracker'; readonly tracker: Tracker; readonly rest: string }
  | {
      readonly id: 'export';
      readonly name: string;
      readonly mapping: Mapping;
      readonly file: string;
    }
  | { readonly id: 'beads'; readonly rest: string }
  | { readonly id: 'path' };

/** Reads an address. An unknown word before a colon is an error, unless a file has that name. */
function addressOf(typed: string, { cwd, mappings }: SourcePlaces): Result<Address> {
  const [, name = '', rest = ''] = /^([A-Za-z][A-Za-z0-9_-]+):(?!\/\/)(.*)$/s.exec(typed) ?? [];
  if (name === '') return ok({ id: 'path' });
  if (name === beads) return ok({ id: 'beads', rest });
  const tracker = Object.hasOwn(trackers, name) ? trackers[name] : undefined;
  if (tracker !== undefined) return ok({ id: 'tracker', tracker, rest });
  const known = { ...readyMappings, ...mappings };
  const mapping = Object.hasOwn(known, name) ? known[name] : undefined;
  if (mapping !== undefined) return ok({ id: 'export', name, mapping, file: rest });
  if (existsSync(resolve(cwd, typed))) return ok({ id: 'path' });
  const names = [...Object.keys(trackers), beads, ...Object.keys(known)];
  return fail(
    sourceFailure(typed, {
      problem: `"${name}:" is not a known kind of source`,
      remedy: `${didYouMean(nearest(name, names))}Known: ${names.join(', ')}. Describe others under "sources" in the config.`,
    }),
  );
}

/** Opens what a user named: a tracker, an export of one, or a path. Nothing is read before the source is listed. */
export function openAddress(typed: string, places: SourcePlaces): Result<TaskSource> {
  const address = addressOf(typed, places);
  if (!address.ok) return address;
  switch (address.value.id) {
    case 'path':
      return openSource(typed, places);
    case 'beads':
      return beadsSource(typed, address.value.rest, places);
    case 'export':
      return exportSource(typed, address.value, places);
    case 'tracker': {
      const { tracker, rest } = address.value;
      const query = queryOf(typed, rest);
      if (!query.ok) return query;
      return ok(trackerSource(tracker, query.value, { dir: places.cwd, env: places.env }));
    }
  }
}

/**
 * The name of a source that tasks remember: a path below the root, also after the colon of an export, or the address of
 * a tracker. Standard input has none.
 */
export function originOf(typed: string, root: string, places: SourcePlaces): string | undefined {
  const address = addressOf(typed, places);
  const at = (path: string): string => relative(root, realpathSync(resolve(places.cwd, path)));
  if (typed === '-') return undefined;
  if (!address.ok || address.value.id === 'path') return at(typed);
  if (address.value.id === 'beads') return typed;
  return address.value.id === 'tracker' ? typed : `${address.value.name}:${at(address.value.file)}`;
}

/** The issues that `bd` exports; without `bd`, its export in `.beads`. */
function beadsSource(typed: string, rest: string, places: SourcePlaces): Result<TaskSource> {
  if (rest !== '') {
    const remedy = 'Write "beads:" in the folder of the project.';
    return fail(sourceFailure(typed, { problem: 'nothing may follow "beads:"', remedy }));
  }
  const { cwd, env } = places;
  if (!which('bd', env.PATH, cwd).ok) return openSource('.beads', places);
  return ok(
    sourceOf(typed, async () => {
      const exported = await runBeads({ dir: cwd, env }, ['export']);
      if (exported.ok) return inFile(typed, readBeads(exported.value));
      const remedy = 'Try `bd export`, or import its export: `ym import .beads`.';
      const problem = `the issues of Beads cannot be read: ${exported.failure}`;
      return fail([{ kind: 'surroundings-broken', problem, remedy }]);
    }),
  );
}

const formats: Readonly<Record<string, 'csv' | 'json'>> = { '.csv': 'csv', '.json': 'json' };

function exportSource(
  typed: string,
  { name, mapping, file }: Extract<Address, { readonly id: 'export' }>,
  { cwd }: SourcePlaces,
): Result<TaskSource> {
  const format = formats[extname(file).toLowerCase()];
  if (format === undefined) {
    const remedy = `Name the file after the colon, such as "${name}:export.csv".`;
    const problem = 'exports are read from .csv and .json files';
    return fail(sourceFailure(typed, { problem, remedy }));
  }
  return ok({
    name: typed,
    async list() {
      const text = await readText(resolve(cwd, file), file);
      if (!text.ok) return fail([text.failure]);
      const tasks = readExport(text.value, format, mapping, name);
      return tasks.ok ? tasks : fail(tasks.failure.map((problem) => sourceFailure(file, problem)));
    },
  });
}

const queryKeys = ['label', 'milestone', 'assignee', 'state', 'limit'];
const issueLimit = 1_000;

function queryOf(address: string, rest: string): Result<IssueQuery> {
  const wrong = (problem: string, remedy: string): Result<never> =>
    fail(sourceFailure(address, { problem, remedy }));
  const [, repository = '', asked = ''] = /^([^?]*)\??(.*)$/s.exec(rest) ?? [];
  if (repository !== '' && !/^[\w.-]+(?:\/[\w.-]+)+$/.test(repository)) {
    return wrong(
      `"${repository}" is not the name of a repository`,
      'Write OWNER/REPO, or nothing for the repository of this checkout.',
    );
  }
  const query = new URLSearchParams(asked);
  const unknown = [...query.keys()].find((key) => !queryKeys.includes(key));
  if (unknown !== undefined) {
    const near = didYouMean(nearest(unknown, queryKeys));
    return wrong(`"${unknown}" is not a known filter`, `${near}Known: ${queryKeys.join(', ')}.`);
  }
  const limit = Number(query.get('limit') ?? issueLimit);
  if (!Number.isInteger(limit) || limit < 1 || limit > limits.tasksPerImport) {
    return wrong(
      `the limit is "${query.get('limit')}"`,
      `Give a number from 1 to ${limits.tasksPerImport}.`,
    );
  }
  const state = query.get('state') ?? 'open';
  if (state !== 'open' && state !== 'closed' && state !== 'all') {
    return wrong(`the state is "${state}"`, 'Write open, closed or all.');
  }
  return ok({
    address,
    repository: repository === '' ? undefined : repository,
    labels: query.getAll('label').filter((label) => label !== ''),
    milestone: query.get('milestone') ?? undefined,
    assignee: query.get('assignee') ?? undefined,
    state,
    limit,
  });
}
