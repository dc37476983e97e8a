import { closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { limits } from '../plan/limits.ts';
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
import { boot, isSystemError, signalGroup } from './identity.ts';
import { cutOutput, printed } from './output.ts';
import { OutputReader } from './output-reader.ts';
import type { HowEnded, ProcessEnd, ProcessSpec } from './processes.ts';
import { type Started, startWrapper } from './start.ts';
import { which } from './which.ts';
import { wrap } from './wrapper.ts';

export interface ChildSettings {
  readonly killGraceMs: number;
  readonly followMs: number;
  readonly keepAlive: boolean;
}

/**
 * One child from its start, or from wherever an earlier engine left it, to its end.
 *
 *   nothing there → start ─┐
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
  /** Why it has to end; outranks whatever status it leaves. */
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
    const askedAt = Date.now();
    const begun = await this.#begin(askedAt);
    for (let tries = 1; ; tries += 1) {
      try {
        return 'how' in begun ? await this.#repeat(begun) : await this.#see(begun);
      } catch (error) {
        if (!isSystemError(error)) throw error;
        if (tries >= limits.followTries) return 'how' in begun ? begun : lost(begun.claim);
        await delay(this.#settings.followMs);
      }
    }
  }

  /** An end that is known already; what the child printed is heard all the same. */
  async #repeat(end: ProcessEnd): Promise<ProcessEnd> {
    if (end.how.id !== 'not-started') await this.#outputReader?.finish();
    return end;
  }

  /** The recorded end, or who runs the child now; it is started if nobody ever did. */
  async #begin(askedAt: number): Promise<ProcessEnd | Begun> {
    try {
      const recorded = readEnd(this.#files);
      if (recorded?.endedAt !== undefined) return endOf(recorded, recorded.endedAt);
      this.#forced = recorded?.how;
      const known = readClaim(this.#files);
      const started = known === undefined ? await this.#start() : undefined;
      if (started !== undefined && 'cause' in started) return notStarted(started.cause, askedAt);
      const claim = await this.#claimed(started);
      if (claim === undefined) {
        return notStarted(`${this.#files.pid} could not be written; is the disk full?`, askedAt);
      }
      return { claim, started: started?.pid === claim.pid ? started : undefined };
    } catch (error) {
      if (!isSystemError(error)) throw error;
      return notStarted(error.message, askedAt);
    }
  }

  /** Starts a wrapper. Whether it gets to run the child is decided by the pid file. */
  async #start(): Promise<Started | { readonly cause: string }> {
    const { argv, cwd, env, stdin } = this.#spec;
    if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) {
      return { cause: `the folder ${cwd} does not exist` };
    }
    const found = which(argv[0] ?? '', env.PATH, cwd);
    if (!found.ok) return { cause: found.cause };
    // What a child prints is kept as it is, secrets included, so nobody else may read it.
    mkdirSync(this.#spec.dir, { recursive: true, mode: 0o700 });
    const tagged = { ...env, [tagVariable]: tagValue(this.#tag, process.env[tagVariable]) };
    const wrapped = wrap([found.file, ...argv.slice(1)], tagged, this.#files, boot);
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

  /** Who runs the child. Our own wrapper or one of an engine that died says so within a moment of its start. */
  async #claimed(started: Started | undefined): Promise<Claim | undefined> {
    const until = performance.now() + limits.claimMs;
    for (;;) {
      // Asked before the file is read: a wrapper that has gone had its say.
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

  /** Follows the child to its end, whoever started it. Can be called again after trouble in the middle. */
  async #see({ claim, started }: Begun): Promise<ProcessEnd> {
    if (this.#forced === undefined) {
      const followed = await this.#follow(claim, started);
      if (followed.id !== 'gone') this.#force(followed, claim);
    }
    if (this.#forced !== undefined) await this.#end(claim, started, this.#forced);
    const status = readStatus(this.#files);
    const endedAt = this.#forced === undefined ? (status?.at ?? Date.now()) : Date.now();
    const graceMs = Math.min(this.#settings.killGraceMs, limits.stragglerGraceMs);
    const stragglers = await endDescendants(this.#tag, claim, graceMs);
    const crossed = this.#forced ?? this.#flooded();
    if (crossed?.id === 'limit' && crossed.limit === 'output') {
      cutOutput(this.#files, crossed.value);
    }
    // Last of all: what its descendants printed on the same stream counts too, and now nobody is left to print.
    await this.#outputReader?.finish();
    const how = crossed ?? this.#overlong() ?? status?.how ?? unnoted(started);
    const end = { how, startedAt: claim.at, endedAt, stragglers };
    this.#note(end);
    return end;
  }

  /** A child may print too much and be gone between two looks; the limit holds for it as for a slower one. */
  #flooded(): HowEnded | undefined {
    const { outputBytes: value } = this.#spec.limits;
    return printed(this.#files).bytes > value ? { id: 'limit', limit: 'output', value } : undefined;
  }

  /** The same for a line that nobody saw while it grew. */
  #overlong(): HowEnded | undefined {
    const value = this.#outputReader?.crossed;
    return value === undefined ? undefined : { id: 'limit', limit: 'line', value };
  }

  #follow(claim: Claim, started: Started | undefined): Promise<Followed> {
    return follow({
      claim,
      files: this.#files,
      limits: this.#spec.limits,
      ...(this.#outputReader === undefined ? {} : { outputReader: this.#outputReader }),
      ...(started === undefined ? {} : { exited: started.exited }),
      interrupt: this.#interrupt,
      followMs: this.#settings.followMs,
      keepAlive: this.#settings.keepAlive,
    });
  }

  /** Noted before the first signal, so that an engine that takes over knows why the child ended. */
  #force(how: HowEnded, claim: Claim): void {
    this.#forced = how;
    this.#note({ how, startedAt: claim.at });
  }

  async #end(claim: Claim, started: Started | undefined, how: HowEnded): Promise<void> {
    const isFlood = how.id === 'limit' && (how.limit === 'output' || how.limit === 'line');
    const { killGraceMs } = this.#settings;
    const graceMs = isFlood ? Math.min(killGraceMs, limits.floodGraceMs) : killGraceMs;
    await this.#ask(claim, started, graceMs);
    if (signalGroup(claim, 'SIGKILL')) await gone(claim, started, limits.killedMs);
  }

  /**
   * Asks it politely to end, and waits. A wrapper that has just noted who it is may start the child only after the
   * signal, which then reached nobody: a child of that age that has printed nothing is asked again.
   */
  async #ask(claim: Claim, started: Started | undefined, graceMs: number): Promise<void> {
    const until = performance.now() + graceMs;
    for (let isHeard = false; !isHeard; ) {
      if (!signalGroup(claim, this.#spec.endSignal ?? 'SIGTERM')) return;
      const left = until - performance.now();
      isHeard = Date.now() - claim.at >= limits.bornMs || printed(this.#files).bytes > 0;
      await gone(claim, started, isHeard ? left : Math.min(left, limits.askAgainMs));
      if (performance.now() >= until) return;
    }
  }

  /** A full disk must not keep a child from being ended; what cannot be noted is found out again. */
  #note(end: EndRecord): void {
    try {
      writeEnd(this.#files, end);
    } catch (error) {
      if (!isSystemError(error)) throw error;
    }
  }
}

interface Begun {
  readonly claim: Claim;
  /** Our own child, or undefined where an earlier engine started it. */
  readonly started: Started | undefined;
}

async function gone(claim: Claim, started: Started | undefined, ms: number): Promise<void> {
  const asked = untilGone([claim], ms);
  await (started === undefined ? asked : Promise.race([asked, started.exited]));
}

/** What a shell leaves with when it cannot go on itself, say because it may not fork. */
const shellTrouble = 2;

/** The end of a child that left no status. Its parent knows what the wrapper passed on; nobody else does. */
function unnoted(started: Started | undefined): HowEnded {
  const code = started?.code;
  return typeof code === 'number' && code !== shellTrouble ? howOf(code) : { id: 'lost' };
}

function endOf(record: EndRecord, endedAt: number): ProcessEnd {
  const { how, startedAt, stragglers = 0 } = record;
  return { how, startedAt, endedAt, stragglers };
}

function lost(claim: Claim): ProcessEnd {
  return { how: { id: 'lost' }, startedAt: claim.at, endedAt: Date.now(), stragglers: 0 };
}

function notStarted(cause: string, at: number): ProcessEnd {
  return { how: { id: 'not-started', cause }, startedAt: at, endedAt: Date.now(), stragglers: 0 };
}
