// A folder with a store, connections that are closed at the end, and real processes that use the store.

import { type ChildProcess, spawn } from 'node:child_process';
import { rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import type { Actor } from '../../src/model/actor.ts';
import type { Store } from '../../src/port/store.ts';
import { type Database, openDatabase } from '../../src/record/driver.ts';
import { openSqlite } from '../../src/record/sqlite.ts';
import { need } from '../rig/need.ts';
import { tempFolder } from '../rig/temp-folder.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface TestProject {
  readonly dir: string;
  readonly file: string;
  open(mode?: 'write' | 'read', busyMs?: number, actor?: Actor): Promise<Store>;
  /** Direct access to the database, to read or damage it. */
  raw<T>(look: (db: Database) => T): T;
  /** A foreign transaction that blocks all writers until it is rolled back. */
  hold(): Database;
  end(): Promise<void>;
}

export function testProject(): TestProject {
  const dir = tempFolder();
  const file = join(dir, 'yardmaster', 'yard.db');
  const open = new Set<Store>();
  const held: Database[] = [];
  return {
    dir,
    file,
    open: async (mode = 'write', busyMs = 5_000, actor?: Actor) => {
      const by = actor === undefined ? {} : { actor };
      const store = need(await openSqlite(file, { mode, busyMs, ...by }));
      open.add(store);
      return store;
    },
    raw: (look) => {
      const db = openDatabase(file, { readOnly: false, blockMs: 1_000 });
      try {
        return look(db);
      } finally {
        db.close();
      }
    },
    hold: () => {
      const db = openDatabase(file, { readOnly: false, blockMs: 1_000 });
      held.push(db);
      db.exec('BEGIN IMMEDIATE');
      return db;
    },
    end: async () => {
      for (const db of held) db.close();
      for (const each of open) await each.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** Runs one of our programs in its own process. It is bundled first, because Node 20 does not run TypeScript. */
export async function bundle(source: string, dir: string): Promise<string> {
  const made = await rolldown({
    cwd: root,
    input: join('test/record', source),
    platform: 'node',
    external: [/^node:/, /^@photostructure\/sqlite/],
  });
  const file = join(dir, source.replace(/\.ts$/, '.mjs'));
  await made.write({ file, format: 'esm' });
  await made.close();
  symlinkSync(join(root, 'node_modules'), join(dir, 'node_modules'));
  return file;
}

export interface Child {
  readonly process: ChildProcess;
  readonly lines: string[];
  readonly ended: Promise<number | null>;
}

export function start(program: string, args: readonly string[]): Child {
  const child = spawn(process.execPath, [program, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines: string[] = [];
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const parts = `${rest}${text}`.split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
  });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  return { process: child, lines, ended };
}
