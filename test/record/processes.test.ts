// Several real processes use one store, and some are killed while doing so.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Store } from '../../src/port/store.ts';
import { need } from '../rig/need.ts';
import { hasPostgres } from '../rig/postgres.ts';
import { tempFolder } from '../rig/temp-folder.ts';
import { until } from '../rig/until.ts';
import { added } from './life.ts';
import { testSchema } from './postgres-project.ts';
import { bundle, type Child, start, testProject } from './run-folder.ts';

/** A store that processes open by its file or its address. */
interface Shared {
  readonly file: string;
  open(mode?: 'write' | 'read'): Promise<Store>;
  /** Throws if the database itself is damaged. */
  check(): void;
  end(): Promise<void>;
}

function inSqlite(): Shared {
  const place = testProject();
  const check = (): void => {
    const checked = place.raw((db) => db.prepare('PRAGMA integrity_check').get());
    expect(checked?.integrity_check).toBe('ok');
  };
  return { file: place.file, open: (mode) => place.open(mode), check, end: () => place.end() };
}

async function inPostgres(): Promise<Shared> {
  const place = await testSchema();
  return {
    file: place.url,
    open: (mode = 'write') => place.open({ mode }),
    check: () => {},
    end: () => place.end(),
  };
}

const kinds = [
  { name: 'SQLite', begin: async () => inSqlite(), isSkipped: false },
  { name: 'Postgres', begin: inPostgres, isSkipped: !hasPostgres },
];

// reason: the server is not installed everywhere.
describe.each(kinds.filter(({ isSkipped }) => !isSkipped))(
  'A store in $name that several processes use',
  ({ begin }) => {
    let place: Shared;
    let dir: string;
    let program: string;
    const children: Child[] = [];
    const run = (...args: string[]): Child => {
      const child = start(program, args);
      children.push(child);
      return child;
    };

    beforeEach(async () => {
      place = await begin();
      dir = tempFolder();
      program = await bundle('writer.ts', dir);
    });
    afterEach(async () => {
      for (const child of children.splice(0)) {
        child.process.kill('SIGKILL');
        await child.ended;
      }
      await place.end();
    });

    it('gives each task to one of eight claimers', async () => {
      const store = await place.open();
      const ids = Array.from({ length: 40 }, (_, index) => `t${index}`);
      need(
        await store.append(
          1,
          ids.map((id) => added(id)),
        ),
      );
      const claimers = Array.from({ length: 8 }, (_, index) =>
        run('claim', place.file, `r${index}`),
      );
      await until(() => claimers.every((child) => child.lines.includes('open')), 'all to be open');
      for (const child of claimers) child.process.stdin?.write('go\n');
      expect(await Promise.all(claimers.map((child) => child.ended))).toEqual(
        claimers.map(() => 0),
      );
      const answers = claimers.flatMap((child) => child.lines.slice(1));
      expect(answers).toHaveLength(8 * ids.length);
      const won = answers.filter((line) => line.startsWith('won '));
      expect(won.sort()).toEqual(ids.map((id) => `won ${id}`).sort());
      expect(answers.filter((line) => line === 'claim-lost')).toHaveLength(7 * ids.length);
      const fences = need(await store.tasks()).map((record) => record.attempt?.fence);
      expect(new Set(fences).size).toBe(ids.length);
      expect(need(await store.audit())).toEqual([]);
    });

    it('is created once if several processes start', async () => {
      const writers = Array.from({ length: 4 }, (_, index) =>
        run('append', place.file, `w${index}`),
      );
      await until(() => writers.every((child) => child.lines.length > 3), 'all to write');
      for (const child of writers) child.process.kill('SIGKILL');
      await Promise.all(writers.map((child) => child.ended));
      const store = await place.open();
      const ids = new Set(need(await store.ids('tasks')));
      for (const child of writers) {
        for (const id of child.lines.slice(1)) expect(ids.has(id)).toBe(true);
      }
      expect(need(await store.audit())).toEqual([]);
    });

    it('has everything it confirmed after a kill during a write', async () => {
      for (let kill = 0; kill < 8; kill += 1) {
        const child = run('append', place.file, `k${kill}`);
        await until(() => child.lines.length > 3 + kill * 3, 'the next kill');
        child.process.kill('SIGKILL');
        await child.ended;
        const store = await place.open();
        const ids = new Set(need(await store.ids('tasks')));
        for (const id of child.lines.slice(1)) {
          expect(ids.has(id), `${id} was acknowledged`).toBe(true);
        }
        const halves = [...ids].filter((id) => !id.endsWith('-next') && !ids.has(`${id}-next`));
        expect(halves).toEqual([]);
        expect(need(await store.audit())).toEqual([]);
        await store.close();
        place.check();
      }
    });

    it('is read while it is written', async () => {
      const child = run('append', place.file, 'w');
      await until(() => child.lines.length > 1, 'the first write');
      const reader = await place.open('read');
      let before = 0;
      for (let look = 0; look < 20; look += 1) {
        const seen = child.lines.length - 1;
        let now = 0;
        const isThere = async (): Promise<boolean> => {
          now = need(await reader.lastSeq());
          return now >= Math.max(before, seen * 2);
        };
        await until(isThere, 'what was written before');
        // Both events of a call, or none.
        expect(now % 2).toBe(0);
        // The log grows meanwhile, and each audit reads all of it.
        if (look % 4 === 0) expect(need(await reader.audit())).toEqual([]);
        before = now;
        await until(() => child.lines.length - 1 > seen, 'the next write');
      }
    });
  },
);
