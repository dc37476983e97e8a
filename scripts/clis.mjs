// Installs the agents that the tests drive, pinned in test/clis, into a cache outside of the clone.
//
//   YARDMASTER_TEST_CLIS=all       all of them (the default), none, or names with commas between them
//   YARDMASTER_CLIS_CACHE=DIR      where they are kept; else $XDG_CACHE_HOME/yardmaster or ~/.cache/yardmaster
//
// Each agent has a folder of its own, named after the lock file and the platform, so that another lock file never
// meets an old install. It is installed beside that folder and renamed when it works: what is there is complete, and
// two installs at once do no harm.
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { npm, root, run } from './steps.mjs';

/** The agents by the name of their program. */
const packages = {
  claude: '@anthropic-ai/claude-code',
  codex: '@openai/codex',
  opencode: 'opencode-ai',
  gemini: '@google/gemini-cli',
};
const known = Object.keys(packages);
/** What these packages want to be run after the install. Scripts of their dependencies would compile, for nothing. */
const finishers = { claude: 'install.cjs', opencode: 'postinstall.mjs' };

const EXIT_USAGE = 2;
const VERSION_MS = 60_000;
const STALE_MS = 3_600_000;
const SAID_LINES = 12;
const LINE_MS = 10_000;
/** Not `npm ci`: that refuses a lock file that lacks packages for other platforms, which no registry need have. */
const INSTALL = ['install', '--ignore-scripts', '--include=optional', '--no-fund', '--no-audit'];
const pins = join(root, 'test', 'clis');

/** What `YARDMASTER_TEST_CLIS` asks for: names, or a sentence that says what is wrong with it. */
export function selected(value = process.env.YARDMASTER_TEST_CLIS ?? 'all') {
  const words = value.split(',').map((word) => word.trim());
  if (value === 'all' || value === '') return { names: known };
  if (value === 'none') return { names: [] };
  const unknown = words.filter((word) => !known.includes(word));
  if (unknown.length === 0) return { names: known.filter((name) => words.includes(name)) };
  return {
    problem:
      `YARDMASTER_TEST_CLIS names "${unknown.join(', ')}", which is none of the agents that are tested. ` +
      `Set it to all, none, or some of ${known.join(', ')} with commas between them.`,
  };
}

/** Every agent with its program, or with the reason why it is left out. */
export function clis() {
  const { names = [] } = selected();
  const left = `left out by YARDMASTER_TEST_CLIS=${process.env.YARDMASTER_TEST_CLIS ?? 'all'}`;
  return Object.fromEntries(
    known.map((name) => [
      name,
      names.includes(name) ? { binary: binaryIn(folderOf(name), name) } : { left },
    ]),
  );
}

/** Installs what is asked for and not there. Returns 0, or the exit code to end with after it has said why. */
export async function installClis() {
  const { names, problem } = selected();
  if (problem !== undefined) {
    console.error(problem);
    return EXIT_USAGE;
  }
  if (names.length === 0) console.log('agents: none, as YARDMASTER_TEST_CLIS says');
  const missing = names.filter((name) => !existsSync(folderOf(name)));
  if (names.length > 0 && missing.length === 0) {
    console.log(`agents: ${names.map(titleOf).join(', ')}: up to date`);
  }
  for (const name of missing) {
    const why = await install(name);
    if (why === undefined) continue;
    console.error(advice(name, why, names));
    return 1;
  }
  return 0;
}

function advice(name, why, names) {
  const others = names.filter((other) => other !== name).join(',') || 'none';
  return (
    `The agent ${titleOf(name)} could not be installed into ${cacheFolder()}: ${why}. ` +
    'The tests drive the real program, so they need it. See that the npm registry can be reached and that there are ' +
    '1.5 GB of free disk, then run this again; or leave it out ' +
    `with YARDMASTER_TEST_CLIS=${others} (none leaves out all).`
  );
}

/** Returns what went wrong, if anything did. */
async function install(name) {
  const folder = folderOf(name);
  const draft = `${folder}.${process.pid}.draft`;
  mkdirSync(cacheFolder(), { recursive: true });
  removeStale();
  try {
    writePackage(name, draft);
    const progress = showProgress(name, draft);
    const { code, output } = await npm(INSTALL, 'pipe', { cwd: draft });
    progress.end(code === 0 ? 'installed' : 'could not install');
    if (code !== 0) return `npm install ended with exit code ${code} and said\n${cut(output)}\n`;
    await finish(name, draft);
    const problem = await unfit(name, draft);
    if (problem !== undefined) return problem;
    place(draft, folder);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Only the one agent; npm passes over what the lock file has for the others. */
function writePackage(name, draft) {
  const of = packages[name];
  const lock = JSON.parse(readFileSync(join(pins, 'package-lock.json'), 'utf8'));
  const dependencies = { [of]: versionOf(name) };
  const manifest = { name: lock.name, private: true, dependencies };
  lock.packages[''] = { name: lock.name, dependencies };
  mkdirSync(draft, { recursive: true });
  writeFileSync(join(draft, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(draft, 'package-lock.json'), JSON.stringify(lock));
}

/** Its outcome shows when the program is run. */
async function finish(name, draft) {
  const script = finishers[name];
  if (script === undefined) return;
  const cwd = join(draft, 'node_modules', packages[name]);
  await run(process.execPath, [script], 'pipe', { cwd });
}

/** Runs it once: some of these are launchers around a binary that npm may have passed over as optional. */
async function unfit(name, draft) {
  const home = join(draft, 'home');
  mkdirSync(home);
  const env = { PATH: process.env.PATH ?? '', HOME: home, TMPDIR: home, LANG: 'C.UTF-8' };
  const asked = run(binaryIn(draft, name), ['--version'], 'pipe', { env, timeout: VERSION_MS });
  const { code, output } = await asked;
  rmSync(home, { recursive: true, force: true });
  if (code === 0 && output.includes(versionOf(name))) return undefined;
  const said = output.trim().split('\n').at(-1) ?? '';
  return `"${name} --version" ended with exit code ${code} and said "${said}"`;
}

/** Somebody else may have been faster; then theirs is as good. */
function place(draft, folder) {
  try {
    renameSync(draft, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
  }
}

/** Drafts of installs that were killed. */
function removeStale() {
  for (const name of readdirSync(cacheFolder())) {
    const path = join(cacheFolder(), name);
    const changed = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
    if (name.endsWith('.draft') && Date.now() - changed > STALE_MS) {
      rmSync(path, { recursive: true, force: true });
    }
  }
}

/** What is being installed, how much of it is there and for how long it takes: on one line where there is a terminal. */
function showProgress(name, draft) {
  const started = Date.now();
  const line = () => {
    const seconds = Math.round((Date.now() - started) / 1000);
    return `agents: installing ${titleOf(name)}, ${sizeOf(draft)} MB so far, ${seconds} s`;
  };
  const terminal = process.stdout.isTTY;
  console.log(`agents: installing ${titleOf(name)} into ${cacheFolder()}`);
  const timer = setInterval(
    () => (terminal ? process.stdout.write(`\r${line()}`) : console.log(line())),
    terminal ? 1000 : LINE_MS,
  );
  return {
    end(word) {
      clearInterval(timer);
      const ended = line().replace('installing', word).replace(' so far', '');
      console.log(`${terminal ? '\r' : ''}${ended}`);
    },
  };
}

function cut(output) {
  return output.trim().split('\n').slice(0, SAID_LINES).join('\n');
}

/** npm moves files about while it works: what is gone when it is looked at counts as nothing. */
function sizeOf(folder) {
  let bytes = 0;
  for (const entry of entriesOf(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) bytes += sizeOf(path) * 1e6;
    else bytes += statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  }
  return Math.round(bytes / 1e6);
}

function entriesOf(folder) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (error?.code === 'ENOENT') return [];
    throw error;
  }
}

function cacheFolder() {
  const { YARDMASTER_CLIS_CACHE: own, XDG_CACHE_HOME: cache } = process.env;
  return own || join(cache || join(homedir(), '.cache'), 'yardmaster');
}

function folderOf(name) {
  const lock = readFileSync(join(pins, 'package-lock.json'));
  const libc = process.report?.getReport().header.glibcVersionRuntime === undefined ? '' : 'glibc';
  const key = createHash('sha256')
    .update(lock)
    .update(process.platform + process.arch + libc);
  return join(cacheFolder(), `clis-${key.digest('hex').slice(0, 12)}-${name}`);
}

function binaryIn(folder, name) {
  return join(folder, 'node_modules', '.bin', name);
}

function versionOf(name) {
  const { dependencies } = JSON.parse(readFileSync(join(pins, 'package.json'), 'utf8'));
  return dependencies[packages[name]];
}

function titleOf(name) {
  return `${name} ${versionOf(name)}`;
}

/** Vitest's global set-up of the `agents` project. */
export default async function agentsReady(project) {
  if ((await installClis()) !== 0) throw new Error('the agents could not be installed');
  project.provide('clis', clis());
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  process.exitCode = await installClis();
}
