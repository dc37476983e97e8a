import type { Config } from '../config/config.ts';
import type { Hook } from '../config/hook.ts';
import type { Ports } from '../engine/context.ts';
import type { Actor } from '../model/actor.ts';
import type { Failure, Result } from '../model/failure.ts';
import type { RunId } from '../model/run.ts';
import type { StoreAddress } from '../model/store-address.ts';
import type { Agent } from '../port/agent.ts';
import type { Git } from '../port/git.ts';
import type { HookSender } from '../port/hook.ts';
import type { Clock, Processes, Sandbox } from '../port/processes.ts';
import type { Snapshots } from '../port/snapshots.ts';
import type { Store } from '../port/store.ts';
import type { StoreCopy } from '../port/store-copy.ts';
import type { TelemetrySink } from '../port/telemetry.ts';
import type { Courier, Dispatch, SharedFiles } from '../port/workers.ts';
import type { Transcript } from '../report/task/transcript.ts';
import type { ReadAction } from '../report/view/slot.ts';

export type Environment = Readonly<Record<string, string | undefined>>;
export type Agents = ReadonlyMap<string, Agent>;
export type Failures = readonly Failure[];

/** Paths of a project. Found without starting git, so that `ym status` is fast. */
export interface Place {
  readonly root: string;
  /** Git folder shared by all worktrees. */
  readonly commonDir: string;
  /** Yardmaster's folder: in the git folder, so that `git clean` cannot reach it. */
  readonly dir: string;
  readonly storeFile: string;
}

/** The process that a use case runs in, and its machine. */
export interface Here extends Pick<Processes, 'self' | 'isAlive'> {
  readonly env: Environment;
  readonly clock: Clock;
  /** Writes a user's file atomically. */
  writeFile(file: string, text: string): Promise<void>;
}

export type Probed =
  | {
      readonly id: 'ended';
      readonly exit: number;
      readonly stdout: string;
      readonly stderr: string;
      readonly over?: 'wall' | 'output';
    }
  | { readonly id: 'not-started'; readonly cause: string };

/** Ports that tell whether the process of a run is alive. */
export type Liveness = Pick<Here, 'clock' | 'self' | 'isAlive'>;

/** A project of which little is read, without git and without the whole store. */
export interface QuickProject extends Place, Here {
  /** A missing store counts as empty. */
  readonly store: Pick<Store, 'status' | 'ids'>;
  /** Commit of a branch, read from git's files; undefined if only git can tell. */
  tipOf(branch: string): string | undefined;
  isAncestor: Git['isAncestor'];
  /** Reads what an agent did last from the end of its output, without secrets. */
  lastActions(): Promise<ReadAction>;
}

/** A project and what is known of the world around it. A use case names the few fields that it needs. */
export interface Project extends Place, Here, Pick<QuickProject, 'lastActions'> {
  readonly id: string;
  /** Parent of all worktrees: outside the repository, in the user's state folder. */
  readonly stateDir: string;
  readonly git: Git;
  /** Every agent that can be started, by the name of its profile; coding agents also by their own names. */
  agents(config: Config, sandbox?: Sandbox): Promise<Agents>;
  /** The sandbox that the config asks for. Starts a scratch attempt in it, which also commits if it is `thorough`. */
  sandbox(config: Config, probe: { readonly thorough: boolean }): Promise<Sandbox>;
  /** Environment of child processes: that of this process without variables of git and of other agents. */
  readonly childEnv: Readonly<Record<string, string>>;
  /** Readers for the output of any agent, each for one file. */
  transcripts(): Promise<() => Transcript>;
  which(program: string): Result<string, string>;
  /** Puts a file for people or their editors into Yardmaster's folder. */
  writeStateFile(name: string, text: string): Promise<void>;
  /** Runs child processes; their recorded output has no secrets of the config. */
  children(config: ProcessConfig, sandbox?: Sandbox): Promise<Processes>;
  /** Opens everything outside the engine that a run uses. */
  engine(request: EngineRequest): Promise<Result<Ports>>;
  /** Gets the files of a run that other machines wrote. */
  fetchFiles(run: RunId): Promise<Result<void>>;
  /** The ways to workers on this and other machines; undefined if the config names none. */
  elsewhere(config: Pick<Config, 'workers'>, run: RunId): Promise<Result<Elsewhere | undefined>>;
  /** Sends and fetches commits of a run through the shared repository; undefined if the config names none. */
  courier(config: Pick<Config, 'workers'>, run: RunId): Promise<Courier | undefined>;
  /** Shell command for this very program: agents must call the version that started them, whatever is on their PATH. */
  readonly program: string;
  /** The store that the config names; a failure if the config cannot be read. */
  readonly storeSetting: Result<StoreAddress>;
  readonly snapshots: Snapshots;
  /** Places that the config sends traces and metrics to; none by default. */
  telemetrySinks(config: Pick<Config, 'telemetry'>): Promise<readonly TelemetrySink[]>;
  /** Sender of the messages of a hook; undefined for a bell if this process has no terminal. */
  hookSender(hook: Hook): Promise<HookSender | undefined>;
  /** The secret that seals verdicts and agent tokens. */
  secret(): Result<Uint8Array>;
  /** `through` is the program by which the user writes, the command line by default. */
  openStore(mode: 'read' | 'write', through?: Actor['through']): Promise<Result<Store>>;
  /** A store as it is, to move its records; it need not be the one that is used. */
  storeCopy(address: StoreAddress): Promise<Result<StoreCopy>>;
  /** Runs a short command with the environment of child processes, and captures its output. Never rejects. */
  probe(
    argv: readonly string[],
    cwd: string,
    bounds?: { readonly wallMs?: number; readonly outputBytes?: number },
  ): Promise<Probed>;
}

/** Ways to workers and their commits. */
export interface Elsewhere {
  readonly dispatch: Dispatch;
  readonly courier: Courier;
  readonly files: SharedFiles;
  readonly version: string;
}

/** Config that decides how child processes run. */
type ProcessConfig = Pick<Config, 'agents'> &
  Partial<Pick<Config, 'keepRaw' | 'telemetry' | 'hooks' | 'store'>>;

export interface EngineRequest {
  readonly run: RunId;
  readonly config: Config;
  readonly agents: Agents;
  readonly sandbox: Sandbox;
  readonly jobs: number;
  readonly store: Store;
}

export interface Opened extends Project {
  readonly store: Store;
}

/** The store for people: its file, or its address without secrets. */
export function storeName({
  storeFile,
  storeSetting,
}: Pick<Project, 'storeFile' | 'storeSetting'>): string {
  const isFile = !storeSetting.ok || storeSetting.value.kind === 'sqlite';
  return isFile ? storeFile : storeSetting.value.shown;
}
