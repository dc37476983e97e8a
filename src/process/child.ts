import { appendFileSync, closeSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { limits } from '../model/limits.ts';
import type { Redactor } from '../model/redact.ts';
import type { Confine, HowEnded, ProcessEnd, ProcessSpec, Survivor } from '../port/processes.ts';
import {
  type ChildFiles,
  type Claim,
  type EndRecord,
  filesOf,
  howOf,
  readClaim,
  readEnd,
  readStatus,
  writeEnd,
} from './child-files.ts';
import { endDescendants, tagOf, tagValue, tagVariable, untilGone } from './descendants.ts';
import { type Followed, follow } from './follow.ts';
import {
  era,
  hasProc,
  type Identity,
  isRunning,
  isSystemError,
  procStat,
  readText,
  signalGroup,
} from './identity.ts';
import { cutOutput, printed } from './output.ts';
import { OutputReader } from './output-reader.ts';
import { which } from './which.ts';
import { type Started, startWrapper, wrap } from './wrapper.ts';

/** Names that the kernel shows for the sandbox program, and for the proxy that starts it where hosts are listed. */
const sandboxes = ['bwrap', 'yard-proxy'];

/**
 * Sends a signal to the group of a child. In a sandbox it reaches only the processes inside: the sandbox itself would
 * end at once and take the child with it. False if the leader is gone.
 */
function askToEnd(leader: Identity, signal: NodeJS.Signals): boolean {
  if (!isRunning(leader)) return false;
  const inside = hasProc ? insideOf(leader.pid) : undefined;
  if (inside === undefined) return signalGroup(leader, signal);
  for (const pid of inside) sendTo(pid, signal);
  return true;
}

/** Processes of the group inside its sandbox, without its first one, which is the sandbox. Undefined without one. */
function insideOf(group: number): readonly number[] | undefined {
  const members = readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid))
    .flatMap((pid) => {
      const stat = procStat(pid);
      return stat?.group === group ? [{ pid, ...stat }] : [];
    });
  const isInSandbox = members.some(
    ({ parent, name }) => parent === group && sandboxes.includes(name),
  );
  if (!isInSandbox) return undefined;
  const here = namespaceIds(group)?.length ?? 1;
  return members
    .map(({ pid }) => ({ pid, ids: namespaceIds(pid) ?? [] }))
    .filter(({ ids }) => ids.length > here && ids.at(-1) !== '1')
    .map(({ pid }) => pid);
}

/** The ids of a process, one for each pid namespace from ours to its own. */
function namespaceIds(pid: number): readonly string[] | undefined {
  const line = /^NSpid:\s+(.+)$/m.exec(readText(`/proc/${pid}/status`) ?? '')?.[1];
  return line?.trim().split(/\s+/);
}

function sendTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // Gone meanwhile.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

const chunkBytes = 64 * 1024;

/**
 * Redacts a file in place: its length and lines stay, so that a reader at any position continues, a full disk does not
 * matter, and a crash in the middle leaves a file that can be redacted again. Memory is bounded. A file that is missing
 * or that we may not write stays as it is.
 */
export async function redactFile(path: string, redact: Redactor): Promise<void> {
  try {
    const file = await open(path, 'r+');
    try {
      const pieces = redact.bytes();
      const chunk = Buffer.alloc(chunkBytes);
      let read = 0;
      let written = 0;
      for (;;) {
        const { bytesRead } = await file.read(chunk, 0, chunkBytes, read);
        read += bytesRead;
        const before = pieces.found;
        const text =
          bytesRead === 0 ? pieces.end() : pieces.push(chunk.toString('latin1', 0, bytesRead));
        if (pieces.found > before)
          await file.write(Buffer.from(text, 'latin1'), 0, undefined, written);
        written += text.length;
        if (bytesRead === 0) return;
      }
    } finally {
      await file.close();
    }
  } catch (error) {
    if (!isSystemError(error)) throw error;
  }
}

export interface ChildSettings {
  /** Puts a confined child into a sandbox; absent if none is on. */
  readonly confine?: Confine;
  readonly killGraceMs: number;
  readonly followMs: number;
  readonly keepAlive: boolean;
  /** Redacts the output when the child is gone; absent if it is kept as it was written. */
  readonly redact?: Redactor;
}

/**
 * Runs one child from its start, or from where an earlier engine left it, to its end.
 *
 *   no files → start ──────┐
 *   pid file ──────────────┴→ follow ─ gone ────────────────────────→ sweep → end file
 *   end file without a time ─────────→ limit, interrupt → signals ──↗
 *   end file with a time → that end
 */
export class Child {
  readonly #spec: ProcessSpec;
  readonly #settings: ChildSettings;
  readonly #interrupt: AbortSignal;
  readonly #files: ChildFiles;
  readonly #tag: string;
  readonly #outputReader: OutputReader | undefined;
  /** Reason to end the child; overrides its exit status. */
  #forced: HowEnded | undefined;

  constructor(spec: ProcessSpec, settings: ChildSettings, interrupt: AbortSignal) {
    this.#spec = spec;
    this.#settings = settings;
    this.#interrupt = interrupt;
    this.#files = filesOf(spec.dir, spec.name);
    this.#tag = tagOf(spec.dir, spec.name);
    this.#outputReader = spec.listener && new OutputReader(this.#files, spec.limits, spec.listener);
  }

  async run(): Promise<ProcessEnd> {
    const calledAt = Date.now();
    const running = await this.#begin(calledAt);
    for (let tries = 1; ; tries += 1) {
      try {
        return 'how' in running ? await this.#replay(running) : await this.#followToEnd(running);
      } catch (error) {
        if (!isSystemError(error)) throw error;
        if (tries >= limits.followTries) return 'how' in running ? running : lost(running.claim);
        await delay(this.#settings.followMs);
      }
    }
  }

  /** Returns a recorded end after the listener has heard the output. */
  async #replay(end: ProcessEnd): Promise<ProcessEnd> {
    if (end.how.id !== 'not-started') await this.#outputReader?.finish();
    return end;
  }

  /** Returns the recorded end, or the process that runs the child; starts it if necessary. */
  async #begin(calledAt: number): Promise<ProcessEnd | RunningChild> {
    try {
      const recorded = readEnd(this.#files);
      if (recorded?.endedAt !== undefined) return endOf(recorded, recorded.endedAt);
      this.#forced = recorded?.how;
      const known = readClaim(this.#files);
      const started = known === undefined ? await this.#start() : undefined;
      if (started !== undefined && 'cause' in started) return notStarted(started.cause, calledAt);
      const claim = await this.#claimed(started);
      if (claim === undefined) {
        return notStarted(`${this.#files.pid} could not be written; is the disk full?`, calledAt);
      }
      return { claim, started: started?.pid === claim.pid ? started : undefined };
    } catch (error) {
      if (!isSystemError(error)) throw error;
      return notStarted(error.message, calledAt);
    }
  }

  /** Starts a wrapper. The pid file decides which wrapper runs the child. */
  async #start(): Promise<Started | { readonly cause: string }> {
    const { argv, cwd, env, stdin } = this.#spec;
    if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) {
      return { cause: `the folder ${cwd} does not exist` };
    }
    const found = which(argv[0] ?? '', env.PATH, cwd);
    if (!found.ok) return { cause: found.cause };
    // Output is unredacted while the child runs, so only the owner may read it.
    mkdirSync(this.#spec.dir, { recursive: true, mode: 0o700 });
    const confined = this.#confined([found.file, ...argv.slice(1)]);
    const tagged = {
      ...confined.env,
      [tagVariable]: tagValue(this.#tag, process.env[tagVariable]),
    };
    const wrapped = wrap(confined.argv, tagged, this.#files, era());
    const handles: number[] = [];
    try {
      handles.push(openSync(stdin ?? '/dev/null', 'r'));
      handles.push(openSync(this.#files.out, 'a', 0o600));
      handles.push(openSync(this.#files.err, 'a', 0o600));
      const { keepAlive } = this.#settings;
      return await startWrapper(wrapped, { cwd, env: tagged, stdio: handles }, keepAlive);
    } finally {
      for (const handle of handles) closeSync(handle);
    }
  }

  #confined(argv: readonly string[]): Pick<ProcessSpec, 'argv' | 'env'> {
    const { confined, ...spec } = { ...this.#spec, argv };
    const { confine } = this.#settings;
    return confined === undefined || confine === undefined ? spec : confine({ ...spec, confined });
  }

  /** Waits for the pid file, which our wrapper or that of a dead engine writes right after its start. */
  async #claimed(started: Started | undefined): Promise<Claim | undefined> {
    const until = performance.now() + limits.claimMs;
    for (;;) {
      // Checked before the file is read: a wrapper that has exited has written it already.
      const isOver = started?.code !== undefined;
      const isLate = performance.now() > until;
      const claim = readClaim(this.#files);
      if (typeof claim === 'object') return claim;
      if (claim === undefined && isOver) return undefined;
      if (isLate && (started === undefined || isOver)) return undefined;
      if (isLate) started?.kill();
      await delay(1);
    }
  }

  /** Follows the child to its end, whoever started it. May be called again after an error. */
  async #followToEnd({ claim, started }: RunningChild): Promise<ProcessEnd> {
    if (this.#forced === undefined) {
      const followed = await this.#follow(claim, started);
      if (followed.id !== 'gone') this.#force(followed, claim);
    }
    if (this.#forced !== undefined) await this.#end(claim, started, this.#forced);
    const status = readStatus(this.#files);
    const endedAt = this.#forced === undefined ? (status?.at ?? Date.now()) : Date.now();
    const graceMs = Math.min(this.#settings.killGraceMs, limits.stragglerGraceMs);
    const found = await endDescendants({ ...this.#sweep(), graceMs }, claim);
    const redact = this.#settings.redact?.whole ?? ((text: string) => text);
    const survivors = found.map((one) => ({ ...one, command: redact(one.command) }));
    this.#tell(survivors);
    const crossed = this.#forced ?? this.#crossedOutputLimit();
    if (crossed?.id === 'limit' && crossed.limit === 'output') {
      cutOutput(this.#files, crossed.value);
    }
    // Last, since descendants may have printed too, and none is left now.
    await this.#outputReader?.finish();
    const how = crossed ?? this.#crossedLineLimit() ?? status?.how ?? unnoted(started);
    // Before the record: until there is one, any engine that takes over does it again.
    await this.#redact();
    const stragglers = survivors.filter(({ fate }) => fate === 'ended').length;
    const end = {
      how,
      startedAt: claim.at,
      endedAt,
      stragglers,
      ...(survivors.length === 0 ? {} : { survivors }),
    };
    this.#record(end);
    return end;
  }

  /** A confined child has its folder for itself. */
  #sweep(): { tag: string; folder?: string } {
    const { confined, cwd } = this.#spec;
    return { tag: this.#tag, ...(confined === undefined ? {} : { folder: cwd }) };
  }

  /** Names survivors at the end of the output, where `ym log` shows them. */
  #tell(survivors: readonly Survivor[]): void {
    if (survivors.length === 0) return;
    const lines = survivors.map(({ pid, command, fate }) =>
      fate === 'ended'
        ? `[ended process ${pid}, which outlived this one: ${command}]`
        : `[process ${pid} works in the same folder and was left alone: ${command}]`,
    );
    appendFileSync(this.#files.err, `${lines.join('\n')}\n`);
  }

  async #redact(): Promise<void> {
    const { redact } = this.#settings;
    if (redact === undefined) return;
    for (const file of [this.#files.out, this.#files.err]) await redactFile(file, redact);
  }

  /** A child may exceed the output limit and exit between two checks. */
  #crossedOutputLimit(): HowEnded | undefined {
    const { outputBytes: value } = this.#spec.limits;
    return printed(this.#files).bytes > value ? { id: 'limit', limit: 'output', value } : undefined;
  }

  /** The same for the line limit. */
  #crossedLineLimit(): HowEnded | undefined {
    const value = this.#outputReader?.crossed;
    return value === undefined ? undefined : { id: 'limit', limit: 'line', value };
  }

  #follow(claim: Claim, started: Started | undefined): Promise<Followed> {
    return follow({
      claim,
      files: this.#files,
      limits: this.#spec.limits,
      outputReader: this.#outputReader,
      exited: started?.exited,
      interrupt: this.#interrupt,
      ...this.#settings,
    });
  }

  /** Recorded before the first signal, so that an engine that takes over knows the reason. */
  #force(how: HowEnded, claim: Claim): void {
    this.#forced = how;
    this.#record({ how, startedAt: claim.at });
  }

  async #end(claim: Claim, started: Started | undefined, how: HowEnded): Promise<void> {
    const isFlood = how.id === 'limit' && (how.limit === 'output' || how.limit === 'line');
    const { killGraceMs } = this.#settings;
    const graceMs = isFlood ? Math.min(killGraceMs, limits.floodGraceMs) : killGraceMs;
    await this.#signalAndWait(claim, started, graceMs);
    if (signalGroup(claim, 'SIGKILL')) await gone(claim, started, limits.killedMs);
  }

  /**
   * Sends the end signal and waits. A young wrapper may start the child only after the signal, so a child of that age
   * without output is signaled again.
   */
  async #signalAndWait(claim: Claim, started: Started | undefined, graceMs: number): Promise<void> {
    const until = performance.now() + graceMs;
    for (let isOld = false; !isOld; ) {
      if (!askToEnd(claim, this.#spec.endSignal ?? 'SIGTERM')) return;
      const left = until - performance.now();
      isOld = Date.now() - claim.at >= limits.bornMs || printed(this.#files).bytes > 0;
      await gone(claim, started, isOld ? left : Math.min(left, limits.askAgainMs));
      if (performance.now() >= until) return;
    }
  }

  /** A full disk must not prevent ending a child; the record is found out again. */
  #record(end: EndRecord): void {
    try {
      writeEnd(this.#files, end);
    } catch (error) {
      if (!isSystemError(error)) throw error;
    }
  }
}

interface RunningChild {
  readonly claim: Claim;
  /** Undefined if an earlier engine started it. */
  readonly started: Started | undefined;
}

async function gone(claim: Claim, started: Started | undefined, ms: number): Promise<void> {
  const asked = untilGone([claim], ms);
  await (started === undefined ? asked : Promise.race([asked, started.exited]));
}

/** Exit status of a shell that cannot go on, for example because fork failed. */
const shellTrouble = 2;

/** End of a child that left no status: its wrapper's exit status if we are its parent, else lost. */
function unnoted(started: Started | undefined): HowEnded {
  const code = started?.code;
  return typeof code === 'number' && code !== shellTrouble ? howOf(code) : { id: 'lost' };
}

function endOf(record: EndRecord, endedAt: number): ProcessEnd {
  const { how, startedAt, stragglers = 0, survivors } = record;
  return { how, startedAt, endedAt, stragglers, survivors };
}

function lost(claim: Claim): ProcessEnd {
  return { how: { id: 'lost' }, startedAt: claim.at, endedAt: Date.now(), stragglers: 0 };
}

function notStarted(cause: string, at: number): ProcessEnd {
  return { how: { id: 'not-started', cause }, startedAt: at, endedAt: Date.now(), stragglers: 0 };
}
