// The dashboard on a terminal of 160 × 50, while sixteen agents print ten lines a second each.
import { spawn } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { median, timed } from './measure.mjs';
import { copyOf, git, simpleTasks, taskIds, writePlan, ym, ymEnv } from './yard.mjs';

const agents = 16;
const watchedMs = 20_000;
const ticksPerSecond = 100;

/** Prints until it is ended. */
const printing = `process.stdin.resume(); let n = 0;
setInterval(() => console.log('Looks at file ' + n++ + ' of the project, line by line'), 100);`;

export async function measureWatch(scratch, repository, count) {
  const copy = copyOf(repository, join(scratch, 'watched'));
  const script = join(scratch, 'printing.mjs');
  writeFileSync(script, printing);
  const profile = { use: 'command', command: [process.execPath, script] };
  const config = {
    agent: 'bench',
    agents: { bench: profile },
    gate: { commands: ['true'] },
    sandbox: 'none',
  };
  writeFileSync(join(copy, 'yardmaster.yaml'), JSON.stringify(config));
  git(copy, 'commit', '-qam', 'Agents that print');
  const plan = writePlan(join(scratch, 'plan-watch.json'), simpleTasks(taskIds(agents)));
  const env = { ...process.env, ...ymEnv(copy) };
  const [program, ...args] = ym('run', plan, '--jobs', String(agents), '--quiet');
  const run = spawn(program, args, { cwd: copy, env, stdio: 'ignore' });
  try {
    await untilWorking(copy, env);
    const firsts = [];
    for (let round = 0; round < count; round += 1) {
      const { frameMs: node } = await opened(
        copy,
        env,
        [process.execPath, '-e', 'console.log(0)'],
        '0',
      );
      const { frameMs: frame } = await watch(copy, env, 0);
      firsts.push({ node, frame });
    }
    const { cpuShare, peakMb, bytes } = await watch(copy, env, watchedMs);
    const [nodeMs, frameMs] = ['node', 'frame'].map((key) => median(firsts.map((one) => one[key])));
    return [
      { agents, cpuShare, peakMb, kbPerSecond: bytes / 1024 / (watchedMs / 1000), nodeMs, frameMs },
    ];
  } finally {
    await ended(copy, env, run);
    for (const end of ['', '.state']) rmSync(`${copy}${end}`, { recursive: true, force: true });
  }
}

async function untilWorking(copy, env) {
  for (let tries = 0; tries < 600; tries += 1) {
    const status = JSON.parse(timed(copy, ym('status', '--json'), { cwd: copy, env }).out);
    if ((status.counts.working ?? 0) === agents) return;
    await sleep(500);
  }
  throw new Error('the agents did not start');
}

async function ended(copy, env, run) {
  if (run.exitCode !== null) return;
  const over = new Promise((resolve) => run.once('exit', resolve));
  timed(copy, ym('stop', '--now'), { cwd: copy, env, mayFail: true });
  await over;
}

/** Starts a command on a terminal, and waits until a text is on it. */
async function opened(copy, env, argv, text) {
  const words = argv.map((word) => `'${word}'`).join(' ');
  const begin = performance.now();
  const child = spawn(
    'script',
    ['--quiet', '--return', '--command', `exec ${words}`, '/dev/null'],
    {
      cwd: copy,
      env: { ...env, TERM: 'xterm-256color', LANG: 'C.UTF-8', SHELL: '/bin/sh' },
      stdio: ['pipe', 'pipe', 'ignore'],
    },
  );
  const shown = { bytes: 0, over: new Promise((resolve) => child.once('close', resolve)) };
  const frameMs = await new Promise((resolve) => {
    let seen = '';
    child.stdout.on('data', (data) => {
      shown.bytes += data.length;
      if (seen.length < 100_000) seen += data;
      if (seen.includes(text)) resolve(performance.now() - begin);
    });
  });
  return { child, frameMs, shown };
}

/** Opens `ym watch` for a while. Its processor time counts from the first frame on. */
async function watch(copy, env, ms) {
  const sized = ['sh', '-c', 'stty cols 160 rows 50; exec "$@"', 'sh', ...ym('watch')];
  const { child, frameMs, shown } = await opened(
    copy,
    env,
    ms === 0 ? ym('watch') : sized,
    'SLOTS',
  );
  const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8');
  const pid = Number(children.trim().split(' ')[0]);
  // Loading the rest of the program is not part of watching.
  if (ms > 0) await sleep(3_000);
  const [cpu, sent] = [cpuSeconds(pid), shown.bytes];
  const from = performance.now();
  await sleep(ms);
  const cpuShare = ms === 0 ? 0 : (cpuSeconds(pid) - cpu) / ((performance.now() - from) / 1000);
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const peakMb = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
  const bytes = shown.bytes - sent;
  child.stdin.write('q');
  await shown.over;
  return { frameMs, cpuShare, peakMb, bytes };
}

function cpuSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}
