// Makes a clone ready: checks Node and git, installs what is missing, builds what is old.
// Runs before anything is installed, so it uses nothing but Node.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { npm, root, run } from './steps.mjs';

const NODE_MIN = [20, 19];
const GIT_MIN = [2, 38];
const EXIT_ENVIRONMENT = 3;

/** Returns 0, or the exit code to end with after it has said why. */
export async function setUp() {
  const lacking = lackingNode() ?? (await lackingGit());
  if (lacking !== undefined) {
    console.error(lacking);
    return EXIT_ENVIRONMENT;
  }
  for (const tool of TOOLS) await installTool(tool);
  return (await install()) || (await buildWhenOld());
}

/** Programs of the system that some tests need: they are skipped without it, and say so. */
const TOOLS = [
  { name: 'bubblewrap', probe: ['bwrap', '--version'], tests: 'of the sandbox' },
  { name: 'tmux', probe: ['tmux', '-V'], tests: 'of the dashboard on a terminal' },
  { name: 'chromium', probe: ['/usr/bin/chromium', '--version'], tests: 'of the web page' },
  {
    name: 'postgresql',
    probe: ['sh', '-c', 'ls /usr/lib/postgresql/*/bin/initdb'],
    tests: 'of the Postgres store',
  },
  { name: 'iproute2', probe: ['ip', '-V'], tests: 'with several hosts' },
];

/** Installs such a program if that is easy. */
async function installTool({ name, probe: [program, ...args], tests }) {
  const found = async () => (await run(program, args, 'pipe')).code === 0;
  const isRoot = process.getuid?.() === 0;
  const hasApt = existsSync('/usr/bin/apt-get');
  if (await found()) return console.log(`${name}: found`);
  if (process.platform !== 'linux' || !isRoot || !hasApt) {
    return console.log(`${name}: not found, so tests ${tests} are skipped`);
  }
  console.log(`${name}: installing with apt-get`);
  const apt = (...rest) => run('apt-get', ['-qq', ...rest], 'pipe');
  const install = () => apt('install', '-y', '--no-install-recommends', name);
  if ((await install()).code !== 0) {
    await apt('update');
    await install();
  }
  if (!(await found())) {
    console.log(`${name}: could not be installed, so tests ${tests} are skipped`);
  }
}

function lackingNode() {
  const found = process.versions.node;
  console.log(`node: ${found}`);
  if (atLeast(found, NODE_MIN)) return undefined;
  return (
    `Node.js ${found} is too old. Yardmaster uses features that came with ${NODE_MIN.join('.')}. ` +
    'Install Node.js 24 (https://nodejs.org) and run this again.'
  );
}

async function lackingGit() {
  const { code, output } = await run('git', ['--version'], 'pipe');
  const found = code === 0 ? (/\d+\.\d+(\.\d+)?/.exec(output)?.[0] ?? 'unknown') : 'not found';
  console.log(`git: ${found}`);
  const why = `Yardmaster needs git ${GIT_MIN.join('.')} or newer for worktrees and merge-tree.`;
  const advice = 'Install it (https://git-scm.com/downloads) and run this again.';
  if (code !== 0) return `git could not be started. ${why} ${advice}`;
  return atLeast(found, GIT_MIN) ? undefined : `git ${found} is too old. ${why} ${advice}`;
}

function atLeast(version, [major, minor]) {
  const [a = 0, b = 0] = version.split('.').map(Number);
  return a > major || (a === major && b >= minor);
}

async function install() {
  // npm writes this file at the end of each install.
  const installed = modified('node_modules/.package-lock.json');
  if (installed >= modified('package-lock.json') && installed > 0) {
    console.log('dependencies: up to date');
    return 0;
  }
  console.log('dependencies: installing with npm ci');
  const args = ['ci', '--include=dev', '--include=optional', '--no-fund', '--no-audit'];
  const { code } = await npm([...args, '--loglevel=error'], 'inherit');
  if (code !== 0) {
    console.error(
      `npm ci ended with exit code ${code}, so the dependencies are not complete. ` +
        'Read what npm says above, correct it and run this again.',
    );
  }
  return code;
}

/** Builds when a source is newer than the bundle. Returns an exit code. */
export async function buildWhenOld() {
  const built = modified('dist/main.js');
  const sources = ['package.json', 'package-lock.json', 'rolldown.config.mjs', 'scripts/build.mjs'];
  const newest = Math.max(newestUnder('src'), ...sources.map(modified));
  if (built >= newest) {
    console.log('build: up to date');
    return 0;
  }
  const { build } = await import('./build.mjs');
  try {
    await build();
    return 0;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    console.error('The bundle could not be built. Correct the error above and run this again.');
    return 1;
  }
}

/** The newest change below a folder; folders count too, because a deletion changes only them. */
function newestUnder(folder) {
  if (!existsSync(join(root, folder))) return 0;
  let newest = modified(folder);
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) newest = Math.max(newest, newestUnder(path));
    else if (!entry.name.endsWith('.test.ts')) newest = Math.max(newest, modified(path));
  }
  return newest;
}

function modified(path) {
  return statSync(join(root, path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) process.exitCode = await setUp();
