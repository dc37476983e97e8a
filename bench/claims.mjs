// Claims per second from sixteen claimers, each with a connection of its own, in SQLite and in Postgres.
import { spawn } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundled } from './bundled.mjs';
import { median } from './measure.mjs';

const claimers = 16;
const tasks = 8_000;

/** A port that nothing uses: several benchmarks may run at once. */
function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

/** A server with its own settings, as Debian installs it: every commit is on the disk before it counts. */
export async function withServer(body) {
  const { readdirSync } = await import('node:fs');
  const root = '/usr/lib/postgresql';
  const [version] = readdirSync(root);
  const port = await freePort();
  const dir = mkdtempSync(join(tmpdir(), 'ym-bench-postgres-'));
  const user = process.getuid() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  if (user.uid !== undefined) chownSync(dir, user.uid, user.gid);
  const line = `cd ${dir} && ${root}/${version}/bin/initdb -D data -U ym -A trust -E UTF8 --locale=C >init.log &&
    exec ${root}/${version}/bin/postgres -D data -p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=`;
  const server = spawn('sh', ['-c', line], { stdio: ['ignore', 'ignore', 'pipe'], ...user });
  let told = '';
  const ended = new Promise((resolve) => server.once('close', resolve));
  await new Promise((resolve, reject) => {
    server.stderr.on('data', (text) => {
      told += text;
      if (told.includes('ready to accept')) resolve();
    });
    server.once('close', () => reject(new Error(`Postgres did not start:\n${told}`)));
  });
  try {
    return await body(`postgres://ym@127.0.0.1:${port}/postgres`);
  } finally {
    server.kill('SIGQUIT');
    await ended;
    rmSync(dir, { recursive: true, force: true });
  }
}

/** Starts processes with claimers, lets them begin together, and returns the seconds and all tasks they got. */
async function race(program, place, processes, slots) {
  const share = claimers / processes;
  const children = Array.from({ length: processes }, (_, at) => {
    const of = { place, first: at * share, count: share, all: claimers, slots };
    const call = `import(${JSON.stringify(program)}).then((m) => m.claimAll(${JSON.stringify(of)}))`;
    const child = spawn(process.execPath, ['-e', call], { stdio: ['pipe', 'pipe', 'inherit'] });
    const told = { text: '' };
    const ended = new Promise((resolve, reject) => {
      child.once('close', (code) => {
        if (code === 0) resolve();
        else reject(new Error(`Process ${at} with claimers ended with exit status ${code}`));
      });
    });
    const open = new Promise((resolve, reject) => {
      child.stdout.on('data', (text) => {
        told.text += text;
        if (told.text.includes('open\n')) resolve();
      });
      ended.catch(reject);
    });
    return { child, told, open, ended };
  });
  await Promise.all(children.map(({ open }) => open));
  const begin = performance.now();
  for (const { child } of children) child.stdin.write('go\n');
  await Promise.all(children.map(({ ended }) => ended));
  const seconds = (performance.now() - begin) / 1_000;
  const won = children.flatMap(({ told }) => told.text.split('\n')[1].split(' ').filter(Boolean));
  return { seconds, won };
}

export async function measureClaims(scratch, count) {
  const dir = join(scratch, 'claims');
  mkdirSync(dir);
  const { fill, warmUp } = await bundled(dir, 'claims.ts');
  const program = join(dir, 'claims.mjs');
  const rows = [];
  const measure = async (store, processes, slots, placeOf) => {
    const rates = [];
    let twice = 0;
    for (let round = 0; round < count; round += 1) {
      const place = placeOf(round);
      await fill(place, tasks);
      const { seconds, won } = await race(program, place, processes, slots);
      twice += won.length - new Set(won).size;
      if (new Set(won).size !== tasks) throw new Error(`${new Set(won).size} of ${tasks} claimed`);
      rates.push((won.length - claimers * warmUp) / seconds);
    }
    rows.push({ store, processes, slots, perSecond: median(rates), twice });
  };
  await withServer(async (url) => {
    for (const slots of [1, 4]) {
      for (const processes of [1, 4, 16]) {
        const schema = `p${processes}_${slots}`;
        await measure('Postgres', processes, slots, (round) => `${url}?schema=${schema}_${round}`);
      }
    }
  });
  const disk = mkdtempSync(join(tmpdir(), 'ym-bench-claims-'));
  await measure('SQLite', 4, 1, (round) => join(disk, `${round}`, 'yard.db'));
  rmSync(disk, { recursive: true });
  return rows;
}
