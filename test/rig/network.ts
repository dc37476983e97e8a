// A project whose machines are hosts of a small network: they share a database and a repository, and nothing else.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Event } from '../../src/model/event.ts';
import { type Child, type Script, type TestProject, testProject } from '../rig.ts';
import { type History, landingFormat, landingsIn } from './history.ts';
import { Hosts } from './hosts.ts';
import { ownPostgres, type PostgresServer } from './postgres.ts';

export interface Network {
  readonly y: TestProject;
  readonly hosts: Hosts;
  readonly server: PostgresServer;
  /** Starts the worker of a host, which has its name. */
  worker(host: string, slots: number): Child;
  ym(host: string, root: string, ...args: string[]): Child;
  /** Clones the repository for another host, and returns the folder of the clone. */
  clone(host: string): string;
  /** Number of attempts that have started. */
  started(): Promise<number>;
  /** All events, and what became of the target in a clone. */
  history(root: string): Promise<History>;
}

interface NetworkOptions {
  /** Ids of tasks, which only workers may work on. */
  readonly tasks: readonly string[];
  readonly script: Script;
  readonly hosts: readonly string[];
}

/** Makes a network that ends with the test. */
export async function network({ tasks, script, hosts: names }: NetworkOptions): Promise<Network> {
  const hosts = new Hosts(names);
  onTestFinished(() => hosts.end());
  const server = await ownPostgres({ under: hosts.onHub(), address: hosts.address });
  onTestFinished(() => server.end());
  const url = await server.database();
  const y = testProject({
    tasks: tasks.map((id) => ({ id, labels: ['needs:remote'] })),
    script,
    config: { workers: { remote: `git://${hosts.address}/hub.git` }, jobs: 1 },
    env: { YARDMASTER_STORE: url },
    // Attempts of hosts that were lost are kept, and some refs remain with the clone of a run that was killed.
    leaves: ['branches', 'kept', 'worktrees', 'state'],
    // Its records are out of reach from here; the checker of the history reads them.
    loses: 'ledger',
  });
  const start = y.tip();
  y.git('init', '-q', '--bare', join(y.base, 'served', 'hub.git'));
  await hosts.serveGit(join(y.base, 'served'));
  const query = (text: string) => server.sql(url, text);
  const events = async (): Promise<readonly Event[]> => {
    const [row] = await query(
      "SELECT table_schema AS at FROM information_schema.tables WHERE table_name = 'event'",
    );
    const rows = await query(`SELECT * FROM ${row?.at}.event ORDER BY seq`);
    return rows.map(({ seq, at, body }) => ({
      ...JSON.parse(String(body)),
      seq: Number(seq),
      at: Number(at),
    }));
  };
  return {
    y,
    hosts,
    server,
    worker(host, slots) {
      const dir = join(y.base, host);
      mkdirSync(dir, { recursive: true });
      onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
      const args = ['--name', host, '--dir', dir, '--slots', `${slots}`, '--label', 'remote'];
      return y.startWith({ under: hosts.on(host) }, 'worker', ...args);
    },
    ym: (host, root, ...args) => y.startWith({ cwd: root, under: hosts.on(host) }, ...args),
    clone(host) {
      const root = join(y.base, host);
      y.git('clone', '-q', y.root, root);
      for (const key of ['user.name', 'user.email']) {
        y.gitIn(root, 'config', key, y.git('config', key).trim());
      }
      return root;
    },
    started: async () => (await events()).filter(({ type }) => type === 'attempt-started').length,
    async history(root) {
      const log = ['log', '--first-parent', '--reverse', landingFormat, `${start}..main`];
      return { events: await events(), landings: landingsIn(y.gitIn(root, ...log)), tasks };
    },
  };
}
