import { spawn, spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Action, type Fields, ScriptError, type Verb } from './script.ts';

/** Poll interval for an awaited file. */
const pollMs = 20;
/** Default time limit for an awaited file. */
const patienceMs = 60_000;

interface ActionContext {
  readonly cwd: string;
  /** Base folder of files outside the worktree. */
  readonly scriptDir: string;
  readonly prompt: Buffer;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export class ExitAgent extends Error {
  readonly code: number;

  constructor(code: number, message = '') {
    super(message);
    this.code = code;
  }
}

/** Performs one action. Throws `ExitAgent` to end the agent. */
export async function act({ verb, fields }: Action, stage: ActionContext): Promise<void> {
  await performers[verb](fields, stage);
}

type Perform = (fields: Fields, stage: ActionContext) => void | Promise<void>;

const performers: Readonly<Record<Verb, Perform>> = {
  write: (fields, stage) => writeFileSync(worktreeFile(fields, stage), text(fields, 'text')),
  append: (fields, stage) => appendFileSync(worktreeFile(fields, stage), text(fields, 'text')),
  replace,
  delete: (fields, stage) => rmSync(worktreeFile(fields, stage), { recursive: true }),
  run,
  commit(fields, stage) {
    git(stage, 'add', '-A');
    git(stage, 'commit', '--quiet', '--message', text(fields, 'message'));
  },
  print: (fields) => print(1, `${text(fields, 'text')}\n`),
  echo: (_fields, stage) => print(1, stage.prompt.toString('utf8')),
  printError: (fields) => print(2, `${text(fields, 'text')}\n`),
  sleep: async (fields) => {
    await delay(number(fields, 'ms'));
  },
  hang: async () => {
    for (;;) await delay(60_000);
  },
  ignoreTerm() {
    process.on('SIGTERM', () => undefined);
  },
  fork,
  flood: (fields) =>
    floodOutput(
      fields.to === 'err' ? 2 : 1,
      number(fields, 'bytes'),
      text(fields, 'line', 'flood'),
    ),
  crash: async (fields) => {
    const name = text(fields, 'signal', 'SIGKILL');
    process.kill(process.pid, name as NodeJS.Signals);
    await delay(patienceMs);
  },
  exit(fields) {
    throw new ExitAgent(number(fields, 'code'));
  },
  signal: (fields) => print(1, `${text(fields, 'line')}\n`),
  usage: (fields) => print(1, `${JSON.stringify({ type: 'usage', ...fields })}\n`),
  mergeTarget,
  waitFor,
  touch: (fields, stage) => writeFileSync(scriptFile(fields, 'file', stage), ''),
  break: (fields, stage) =>
    writeFileSync(
      worktreeFile(fields, stage),
      text(fields, 'text', '<<<<<<< broken on purpose ((({{{\n'),
    ),
  env(fields, stage) {
    const ours = Object.entries(stage.env).filter(([name]) => name.startsWith('YARD_'));
    const { cwd, prompt } = stage;
    const facts = { cwd, promptBytes: prompt.length, env: Object.fromEntries(ours.sort()) };
    writeFileSync(scriptFile(fields, 'to', stage), `${JSON.stringify(facts, null, 2)}\n`);
  },
};

function replace(fields: Fields, stage: ActionContext): void {
  const file = worktreeFile(fields, stage);
  const before = readFileSync(file, 'utf8');
  const from = text(fields, 'from');
  if (!before.includes(from)) {
    throw new ExitAgent(
      1,
      `replace: ${text(fields, 'path')} does not contain ${JSON.stringify(from)}.`,
    );
  }
  // A function, because `$` in a replacement string has a special meaning.
  writeFileSync(
    file,
    before.replace(from, () => text(fields, 'to')),
  );
}

function run(fields: Fields, stage: ActionContext): void {
  const argv = fields.argv as readonly string[] | undefined;
  const [file, ...args] = argv ?? ['/bin/sh', '-c', text(fields, 'shell')];
  if (file === undefined) throw new ScriptError('run needs "argv" or "shell".');
  const ended = spawnSync(file, args, { cwd: stage.cwd, stdio: ['ignore', 'inherit', 'inherit'] });
  const code = ended.error === undefined ? (ended.status ?? 1) : 127;
  if (code !== 0 && fields.ignore !== true) {
    const why = ended.error?.message ?? `exit code ${code}`;
    throw new ExitAgent(code, `run: ${[file, ...args].join(' ')}: ${why}.`);
  }
}

/** Starts a grandchild that outlives the agent. */
function fork(fields: Fields): void {
  const trap = fields.ignoreTerm === true ? "trap '' TERM; " : '';
  const sleeper = `${trap}sleep ${number(fields, 'seconds')}`;
  spawn('/bin/sh', ['-c', sleeper], { stdio: 'ignore', detached: fields.detach === true }).unref();
}

/** Merges a branch, as an agent does when told of a conflict. A merge in progress starts over. */
function mergeTarget(fields: Fields, stage: ActionContext): void {
  const branch = text(fields, 'branch');
  const side = text(fields, 'resolve', '');
  if (side !== '' && !['ours', 'theirs', 'union'].includes(side)) {
    throw new ScriptError(`mergeTarget: "resolve" is ours, theirs or union, not "${side}".`);
  }
  const options = side === 'ours' || side === 'theirs' ? ['--strategy-option', side] : [];
  tryGit(stage, 'merge', '--abort');
  const merged = tryGit(stage, 'merge', '--no-edit', ...options, branch);
  if (merged.code === 0) return;
  if (side !== 'union') throw new ExitAgent(1, `mergeTarget: ${branch} does not merge.`);
  const listed = tryGit(stage, 'diff', '--name-only', '--diff-filter=U', '-z').stdout;
  for (const file of listed.split('\0').filter((name) => name !== '')) {
    const path = join(stage.cwd, file);
    const both = readFileSync(path, 'utf8').replace(/^(?:<{7}|={7}|>{7}|\|{7})(?: .*)?\n/gm, '');
    writeFileSync(path, both);
  }
  git(stage, 'add', '-A');
  git(stage, 'commit', '--quiet', '--no-edit');
}

async function waitFor(fields: Fields, stage: ActionContext): Promise<void> {
  const file = scriptFile(fields, 'file', stage);
  const ms = typeof fields.ms === 'number' ? fields.ms : patienceMs;
  const until = performance.now() + ms;
  while (!existsSync(file)) {
    if (performance.now() > until) {
      throw new ExitAgent(1, `waitFor: ${file} did not appear within ${ms} ms.`);
    }
    await delay(pollMs);
  }
}

function git(stage: ActionContext, ...args: string[]): void {
  const { code, stderr } = tryGit(stage, ...args);
  if (code !== 0) throw new ExitAgent(1, `git ${args[0]} failed: ${stderr.trim()}`);
}

function tryGit(
  stage: ActionContext,
  ...args: string[]
): { code: number; stdout: string; stderr: string } {
  const ended = spawnSync('git', args, {
    cwd: stage.cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (ended.error !== undefined)
    throw new ExitAgent(1, `git did not start: ${ended.error.message}`);
  return { code: ended.status ?? 1, stdout: ended.stdout, stderr: ended.stderr };
}

/** Path of a file in the worktree; creates its folder. */
function worktreeFile(fields: Fields, stage: ActionContext): string {
  const file = resolve(stage.cwd, text(fields, 'path'));
  mkdirSync(dirname(file), { recursive: true });
  return file;
}

/** Path of a file outside the worktree; creates its folder. */
function scriptFile(fields: Fields, name: string, stage: ActionContext): string {
  const given = text(fields, name);
  const file = isAbsolute(given) ? given : join(stage.scriptDir, given);
  mkdirSync(dirname(file), { recursive: true });
  return file;
}

/** The script was validated when it was loaded, so only optional fields can be missing. */
function text(fields: Fields, name: string, otherwise?: string): string {
  const value = fields[name] ?? otherwise;
  if (typeof value !== 'string') throw new ScriptError(`"${name}" must be a string.`);
  return value;
}

function number(fields: Fields, name: string): number {
  const value = fields[name];
  if (typeof value !== 'number') throw new ScriptError(`"${name}" must be a number.`);
  return value;
}

/** Bytes per write. */
const chunkBytes = 64 * 1024;
/** Pause before the next try when the pipe is full. */
const fullMs = 5;

/** Prints synchronously, so that the output is complete even if the agent is killed right after. */
export async function print(stream: 1 | 2, text: string): Promise<void> {
  await printBytes(stream, Buffer.from(text));
}

async function floodOutput(stream: 1 | 2, bytes: number, line: string): Promise<void> {
  const one = `${line}\n`;
  const chunk = Buffer.from(one.repeat(Math.max(1, Math.floor(chunkBytes / one.length))));
  for (let left = bytes; left > 0; left -= chunk.length) {
    await printBytes(stream, left < chunk.length ? chunk.subarray(0, left) : chunk);
  }
}

async function printBytes(stream: 1 | 2, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(stream, bytes, at);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
      await delay(fullMs);
    }
  }
}
