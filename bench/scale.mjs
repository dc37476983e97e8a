// What breaks first with many tasks and many workers: costs of one more of each, in a Postgres on this machine.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { bundled } from './bundled.mjs';
import { withServer } from './claims.mjs';
import { median, timed } from './measure.mjs';
import { checkLanded, copyOf, git, simpleTasks, taskIds, writePlan, ym, ymEnv } from './yard.mjs';

const idleMs = 20_000;
const tasks = 24;
const jobs = 400;

/** Counters of the server: transactions, bytes of the write-ahead log, connections of programs. */
async function counters(client) {
  const { rows } = await client.query(`SELECT
    (SELECT sum(xact_commit + xact_rollback) FROM pg_stat_database)::float AS transactions,
    pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float AS wal,
    (SELECT count(*) FROM pg_stat_activity
      WHERE backend_type = 'client backend' AND pid <> pg_backend_pid())::int AS connections`);
  return rows[0];
}

/** Rows and bytes with indexes of the tables of a project, without empty ones. */
async function sizes(client, schema) {
  const { rows } = await client.query(
    `SELECT n.nspname AS schema, sum(pg_total_relation_size(c.oid))::float AS bytes,
       sum((xpath('/row/n/text()', query_to_xml(format('SELECT count(*) AS n FROM %I.%I', n.nspname, c.relname),
         false, true, '')))[1]::text::int)::int AS rows
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind = 'r' AND n.nspname = ANY($1) GROUP BY 1 ORDER BY 1`,
    [[schema, `${schema}_jobs`]],
  );
  return rows;
}

/** Processor time so far in milliseconds, and resident memory in MB, of a process. */
function costOf(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [, kb] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
  return { cpuMs: (fields[11] + fields[12]) * 10, mb: Number(kb) / 1024 };
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Starts a process and waits for a text of its output. */
async function started(argv, text, env = {}) {
  const child = spawn(argv[0], argv.slice(1), {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  let output = '';
  const seen = new Promise((resolve) => {
    child.stdout.on('data', (chunk) => {
      output += chunk;
      if (output.includes(text)) resolve();
    });
  });
  await Promise.race([
    seen,
    ended.then(() => {
      throw new Error(`${argv.join(' ')} has ended`);
    }),
  ]);
  return { child, ended, output: () => output };
}

/** Runs a command to its end and counts the connections meanwhile. Times as in `timed`, without those of agents. */
async function watched(client, argv, { cwd, env }) {
  const before = performance.now();
  const script = 'TIMEFORMAT="%3U %3S"; { time "$@" >/dev/null 2>&1; } 2>&1';
  const child = spawn('bash', ['-c', script, '-', ...argv], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  const ended = new Promise((resolve) => child.once('close', resolve));
  let [isOver, connections] = [false, 0];
  child.once('close', () => {
    isOver = true;
  });
  while (!isOver) {
    connections = Math.max(connections, (await counters(client)).connections);
    await Promise.race([sleep(200), ended]);
  }
  const [user, system] = output.trim().split(/\s+/).map(Number);
  const wallMs = performance.now() - before;
  return { wallMs, cpuMs: (user + system) * 1000, connections };
}

/** A real run on a store in Postgres, alone or with workers: what a task leaves and costs there. */
async function runCost(client, url, repository, scratch, workers) {
  const schema = `run${workers}`;
  const dir = copyOf(repository, join(scratch, schema));
  const remote = join(scratch, `${schema}.git`);
  git(scratch, 'init', '-q', '--bare', remote);
  const config = JSON.parse(readFileSync(join(dir, 'yardmaster.yaml'), 'utf8'));
  const own = workers === 0 ? {} : { workers: { remote } };
  writeFileSync(join(dir, 'yardmaster.yaml'), JSON.stringify({ ...config, ...own }));
  git(dir, 'commit', '-qam', 'Use the store', '--allow-empty');
  const store = { YARDMASTER_STORE: `${url}?schema=${schema}` };
  const env = { ...ymEnv(dir), ...store };
  const ids = taskIds(tasks);
  const plan = writePlan(join(scratch, `${schema}.json`), simpleTasks(ids));
  timed(scratch, ym('import', plan), { cwd: dir, env });
  const before = { ...(await counters(client)), sizes: await sizes(client, schema) };
  const helpers = await startWorkers(scratch, schema, store, workers);
  const run = await watched(client, ym('run', plan, '--jobs', '3', '--json'), { cwd: dir, env });
  const after = { ...(await counters(client)), sizes: await sizes(client, schema) };
  checkLanded(dir, ids);
  const idle = workers === 0 ? undefined : await idleCost(client, helpers);
  for (const { child } of helpers) child.kill('SIGTERM');
  await Promise.all(helpers.map(({ ended }) => ended));
  const grown = (name, figure) =>
    (after.sizes.find((one) => one.schema === name)?.[figure] ?? 0) -
    (before.sizes.find((one) => one.schema === name)?.[figure] ?? 0);
  const perTask = (value) => value / tasks;
  return {
    workers,
    wallMs: perTask(run.wallMs),
    driverCpuMs: perTask(run.cpuMs),
    connections: run.connections,
    transactions: perTask(after.transactions - before.transactions),
    walKb: perTask(after.wal - before.wal) / 1024,
    rows: perTask(grown(schema, 'rows')),
    kb: perTask(grown(schema, 'bytes')) / 1024,
    jobRows: perTask(grown(`${schema}_jobs`, 'rows')),
    jobKb: perTask(grown(`${schema}_jobs`, 'bytes')) / 1024,
    idle,
  };
}

function startWorkers(scratch, schema, store, count) {
  return Promise.all(
    Array.from({ length: count }, (_, at) => {
      const dir = join(scratch, `${schema}-worker-${at}`);
      const argv = ym('worker', '--name', `w${at}`, '--dir', dir, '--slots', '2');
      return started(argv, 'worker w', { ...ymEnv(dir), ...store });
    }),
  );
}

/** Workers that have nothing to do: connections, transactions, processor time and memory of one. */
async function idleCost(client, helpers) {
  await sleep(6_000);
  const costs = () => helpers.map(({ child }) => costOf(child.pid));
  const [before, first] = [await counters(client), costs()];
  await sleep(idleMs);
  const [after, last] = [await counters(client), costs()];
  const sum = (values) => values.reduce((a, b) => a + b, 0);
  const cpuMs = sum(last.map(({ cpuMs }) => cpuMs)) - sum(first.map(({ cpuMs }) => cpuMs));
  return {
    workers: helpers.length,
    connections: after.connections / helpers.length,
    transactionsPerSecond:
      (((after.transactions - before.transactions) / idleMs) * 1000) / helpers.length,
    walKbPerSecond: (((after.wal - before.wal) / 1024 / idleMs) * 1000) / helpers.length,
    cpuPercent: (cpuMs / idleMs / helpers.length) * 100,
    mb: sum(last.map(({ mb }) => mb)) / helpers.length,
  };
}

/** Jobs per second from one run to workers that answer at once, and what one job costs the server. */
async function jobCost(client, url, module, program, workers, atOnce) {
  const place = `${url}?schema=jobs${workers}_${atOnce}`;
  const call = `import(${JSON.stringify(program)}).then((m) => m.answerJobs(${JSON.stringify(place)}, 0, ${workers}))`;
  const { child, ended } = await started([process.execPath, '-e', call], 'open');
  const before = await counters(client);
  const seconds = await module.giveJobs(place, { workers, jobs, atOnce });
  const after = await counters(client);
  child.stdin.write('end\n');
  await ended;
  return {
    workers,
    atOnce,
    perSecond: jobs / seconds,
    transactions: (after.transactions - before.transactions) / jobs,
    walKb: (after.wal - before.wal) / 1024 / jobs,
  };
}

/** The list of projects on the page, with a store of its own for each project. */
async function pageCost(scratch, repository, projects) {
  const root = join(scratch, `pages-${projects}`);
  const env = { YARDMASTER_STATE_DIR: join(root, 'state'), NO_COLOR: '1' };
  const plan = writePlan(join(scratch, 'pages.json'), simpleTasks(taskIds(tasks)));
  const dirs = Array.from({ length: projects }, (_, at) =>
    copyOf(repository, join(root, `p${at}`)),
  );
  for (const dir of dirs) timed(scratch, ym('import', plan), { cwd: dir, env });
  const argv = ym('ui', '--no-open', '--port', '0', '--json', ...dirs);
  const { child, ended, output } = await started(argv, '}\n', env);
  try {
    const { address } = JSON.parse(output());
    const { origin, searchParams } = new URL(address);
    const headers = { Authorization: `Bearer ${searchParams.get('token')}` };
    const times = [];
    for (let round = 0; round < 7; round += 1) {
      const before = performance.now();
      const listed = await (await fetch(`${origin}/api/projects`, { headers })).json();
      times.push(performance.now() - before);
      const count = Object.values(listed).find(Array.isArray)?.length;
      if (count !== projects) throw new Error(`the page shows ${count} of ${projects} projects`);
    }
    const [first, ...rest] = times;
    return { projects, firstMs: first, ms: median(rest), mb: costOf(child.pid).mb };
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

export async function measureScale(scratch, repository) {
  const dir = join(scratch, 'scale');
  mkdirSync(dir);
  const module = await bundled(dir, 'scale.ts');
  const program = join(dir, 'scale.mjs');
  const core = [1_000, 1_000, 10_000].map((count) => module.coreCost(count)).slice(1);
  const rows = { load: loadavg()[0], core, runs: [], jobs: [], pages: [] };
  for (const count of [1, 10, 50]) rows.pages.push(await pageCost(dir, repository, count));
  await withServer(async (url) => {
    const client = new pg.Client({ connectionString: url });
    // The server ends before this process if a measurement fails.
    client.on('error', () => {});
    await client.connect();
    for (const workers of [0, 1, 4]) {
      rows.runs.push(await runCost(client, url, repository, dir, workers));
    }
    for (const [workers, atOnce] of [
      [1, 1],
      [1, 16],
      [8, 64],
    ]) {
      rows.jobs.push(await jobCost(client, url, module, program, workers, atOnce));
    }
    await client.end();
  });
  return { ...rows, loadAfter: loadavg()[0] };
}
