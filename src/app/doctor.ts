import { join } from 'node:path';
import { advisers, agentPoolOf, defaultAgent } from '../config/agent-pool.ts';
import type { Config } from '../config/config.ts';
import { projectFile } from '../config/keys.ts';
import { runsDir } from '../files/layout.ts';
import { checkRunFiles } from '../files/read-files.ts';
import { spaceOf, writtenPlaces } from '../files/space.ts';
import { checkWriting } from '../files/state-file.ts';
import { mismatches } from '../ledger/inventory.ts';
import { missingRefs } from '../ledger/missing-refs.ts';
import { type Failure, fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import type { ModelRules } from '../model/run.ts';
import { newTask, type Task } from '../model/task.ts';
import { outcomeOf, settled, settledAll, tried } from '../model/trouble.ts';
import { atLeast } from '../model/version.ts';
import { modelsNeeded } from '../plan/agent-pool.ts';
import { tasksAtWork } from '../plan/best-of.ts';
import { parseModel } from '../plan/model.ts';
import type { Agent, AgentHealth, AgentInfo } from '../port/agent.ts';
import { explain } from '../report/explain/explain.ts';
import { binarySize, counted } from '../report/format/amount.ts';
import { utcMinute } from '../report/format/time.ts';
import { mismatchText } from '../report/run/inventory.ts';
import { answerText } from '../report/run/model-probe.ts';
import { lintCommand } from '../task/command-lint.ts';
import { agentsOnPath } from './agents.ts';
import { projectConfig } from './config.ts';
import { quarantinedNow } from './flakes.ts';
import { checkGate, detectSetupIn, gateOfTarget } from './gate.ts';
import { hookFlaws } from './hook-list.ts';
import { readInventory } from './inventory.ts';
import { tasksNow } from './landings.ts';
import { reading } from './lookup.ts';
import { type ProbedModel, probeModels } from './model-probe.ts';
import { notices } from './notices.ts';
import type { Project } from './ports.ts';
import { settingsOf } from './preflight.ts';
import { promptsOf } from './prompts.ts';
import { stateOfStore } from './repair.ts';
import { findTarget, runConfig } from './target.ts';
import { openTry } from './try-note.ts';

/** One finding per agent: its path, its version, and whether it is signed in. Checks all in parallel. */
export async function examineAgents(
  project: Pick<Project, 'agents' | 'which'>,
  config: Config,
): Promise<readonly Finding[]> {
  const used = agentsUsed(config);
  const agents = [...(await project.agents(config)).values()];
  const examined = await Promise.all(
    agents.map((agent) => {
      const isUsed = used.has(agent.name);
      return examineAgent(agent, isUsed, isUsed || agent.name in config.agents);
    }),
  );
  const findings = examined.flatMap((finding) => (typeof finding === 'string' ? [] : [finding]));
  const absent = examined.filter((finding) => typeof finding === 'string');
  if (absent.length > 0) {
    findings.push({ name: 'agent', text: `not installed: ${absent.join(', ')}`, harmless: true });
  }
  findings.push(...ignoredReasoning(config, used));
  return used.size > 0 ? findings : [noAgentNamed(config, project), ...findings];
}

/** Agents that a run may start without a task naming them. */
function agentsUsed(config: Config): ReadonlySet<string> {
  const agentPool = agentPoolOf(config);
  const volunteers = agentPool.filter((member) => member.volunteers).map(({ name }) => name);
  const { default: standard, byPriority = {}, byType = {} } = config.models;
  const rules = [standard, ...Object.values(byPriority), ...Object.values(byType)];
  const isAgent = (name: string): boolean => agentPool.some((member) => member.name === name);
  const named = rules.flatMap((rule) => parseModel(rule ?? '', isAgent).agent ?? []);
  const own = defaultAgent(config);
  const fallback = config.fallback?.agent;
  return new Set([own ?? [], volunteers, fallback ?? [], named, advisers(config)].flat());
}

/** Notes on used agents without a setting for the configured reasoning effort. */
function ignoredReasoning(config: Config, used: ReadonlySet<string>): readonly Finding[] {
  const agentPool = agentPoolOf(config);
  const isAgent = (name: string): boolean => agentPool.some((member) => member.name === name);
  const { default: standard, byPriority = {}, byType = {} } = config.models;
  return agentPool.flatMap(({ name, ignoresReasoning, model: own }) => {
    if (ignoresReasoning !== true || !used.has(name)) return [];
    const rules = [own ?? standard, ...Object.values(byPriority), ...Object.values(byType)];
    const asked = rules
      .map((rule) => parseModel(rule ?? '', isAgent))
      .find(({ agent = name, reasoning }) => agent === name && reasoning !== undefined);
    if (asked?.reasoning === undefined) return [];
    const text = `${name} has no setting for the reasoning effort; "${asked.reasoning}" is not passed to it`;
    return [{ name: 'agent', text, harmless: true }];
  });
}

function noAgentNamed(config: Config, project: Pick<Project, 'which'>): Finding {
  const described = Object.keys(config.agents);
  const known = described.length > 0 ? described : agentsOnPath(project);
  return { name: 'agent', text: '', trouble: { kind: 'agent-unknown', agent: '', known } };
}

/** The finding of one agent. Only the name if it is neither installed nor `named` in the config. */
async function examineAgent(
  agent: Agent,
  used: boolean,
  named: boolean,
): Promise<Finding | string> {
  const info = await agent.check();
  if (!info.ok) {
    if (!named) return agent.name;
    const missing = { name: 'agent', text: '', trouble: info.failure };
    return used ? missing : { ...missing, harmless: true };
  }
  const health = await agent.probe();
  const { name, binary } = info.value;
  const text = textOf(name, binary, health);
  const found = { name: 'agent', text, agent: { name, binary, ...health } };
  const trouble = named ? troubleOf(name, health) : undefined;
  if (trouble === undefined) return found;
  const harmless = !used || trouble.kind === 'agent-version';
  const { remedy } = trouble.kind === 'provider-auth' ? health : {};
  return {
    ...found,
    trouble,
    ...(remedy === undefined ? {} : { remedy }),
    ...(harmless ? { harmless } : {}),
  };
}

function textOf(name: string, binary: string, health: AgentHealth): string {
  const { version, supported, signedIn, signIn } = health;
  const range = supported === undefined ? '' : ` (supported: ${supported})`;
  const looked = signedIn === 'yes' ? '' : 'looked for ';
  const place = signIn === undefined ? '' : ` (${looked}${signIn})`;
  const parts = [
    `${name}: ${binary}`,
    ...(version === undefined && range === '' ? [] : [`version ${version ?? 'unknown'}${range}`]),
    ...(signIn === undefined && signedIn !== 'no' ? [] : [`${signedWords[signedIn]}${place}`]),
  ];
  return parts.join(', ');
}

const signedWords = {
  yes: 'signed in',
  no: 'not signed in',
  unknown: 'sign-in unknown',
} as const;

function troubleOf(agent: string, health: AgentHealth): Failure | undefined {
  const { version, supported = '', fits, signedIn, signIn } = health;
  if (signedIn === 'no') {
    const looked = signIn === undefined ? '' : `, looked for ${signIn}`;
    return { kind: 'provider-auth', agent, message: `not signed in${looked}` };
  }
  if (version === undefined || fits !== false) return undefined;
  return { kind: 'agent-version', agent, found: version, supported };
}

/** One thing a run depends on: what was found, or the problem with it. */
export interface Finding {
  readonly name: string;
  readonly text: string;
  readonly trouble?: Failure;
  /** Replaces the remedy of the failure, if more is known here. */
  readonly remedy?: string;
  /** True if a run would not fail because of this; without `trouble` it is only a note. */
  readonly harmless?: boolean;
  /** Facts about an agent, for `--json`. */
  readonly agent?: AgentInfo & AgentHealth;
  /** Facts about a probed model, for `--json`. */
  readonly model?: Omit<ProbedModel, 'trouble'>;
}

/**
 * Checks everything a run of the project needs, one finding each; a problem does not end the checks. With `probing` it
 * also asks the models, until that is aborted.
 */
export async function diagnose(
  project: Project,
  cwd: string,
  probing?: AbortSignal,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  findings.push(await targetFinding(project));
  findings.push(
    finding('identity', await outcomeOf(project.git.identity()), (identity) => identity),
  );
  const config = await settledAll(runConfig(project));
  if (config.ok) {
    const { warnings } = config.value;
    findings.push({ name: 'config', text: configText(config.value.config) });
    findings.push(...warnings.map((text) => ({ name: 'config', text, harmless: true })));
    findings.push(...(await configFindings(project, config.value.config)));
    if (probing !== undefined) {
      findings.push(...(await examineModels(project, config.value.config, probing)));
    }
  } else findings.push(...config.failure.map((failure) => problem('config', failure)));
  for (const text of await notices(project, cwd)) {
    findings.push({ name: 'ignored', text, harmless: true });
  }
  findings.push(...tryFindings(project));
  findings.push(await storeFinding(project));
  findings.push(...(await filesFinding(project)));
  findings.push(...(await inventoryFinding(project)));
  findings.push(...(await landingFindings(project)));
  findings.push(...(await placeFindings(project)));
  if (config.ok) findings.push(...(await flakyFindings(project, config.value.config)));
  return findings;
}

function tryFindings(project: Project): readonly Finding[] {
  const note = openTry(project);
  if (note === undefined) return [];
  const text = `your checkout shows the work of ${note.task}; \`ym try --back\` restores it`;
  return [{ name: 'try', text, harmless: true }];
}

/** Checks what every project needs on this machine; `node` is the version of Node.js. */
export async function diagnoseMachine(
  probe: Project['probe'],
  cwd: string,
  node: string,
): Promise<readonly Finding[]> {
  const note = atLeast(node, '22') ? '' : ' (works; 22 and newer start faster, 24 is recommended)';
  const asked = await probe(['git', '--version'], cwd);
  const git: Finding =
    asked.id === 'not-started'
      ? problem('git', { kind: 'git-missing', cause: asked.cause })
      : { name: 'git', text: asked.stdout.trim().replace('git version ', '') };
  return [{ name: 'node', text: `${node}${note}` }, git];
}

function configText({ origins }: Config): string {
  const isWritten = [...origins.values()].some(({ origin }) => origin === 'project file');
  return isWritten
    ? 'read'
    : `no ${projectFile} with settings: defaults apply; \`ym init\` writes one`;
}

async function targetFinding(project: Project): Promise<Finding> {
  const config = projectConfig(project);
  const target = await settled(findTarget(project, config.ok ? config.value : {}));
  return finding('target', target, ({ branch, commit }) => `${branch} at ${commit.slice(0, 10)}`);
}

async function configFindings(project: Project, config: Config): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const gate = await settled(gateOfTarget(project, config));
  if (gate.ok) {
    const { commands } = gate.value.gate;
    const usable = await checkGate(project, gate.value.gate, config.worktree.setup);
    const text = commands.length === 0 ? 'none, as configured' : commands.join('; ');
    findings.push(finding('gate', usable, () => `${text} (from ${gate.value.from})`));
    findings.push(...commands.flatMap(gateFlaws));
  } else findings.push(problem('gate', gate.failure));
  findings.push(...(await setupFindings(project, config)));
  const prompts = promptsOf(config, project.root);
  if (!prompts.ok) findings.push(...prompts.failure.map((failure) => problem('prompts', failure)));
  findings.push(...(await sandboxFindings(project, config)));
  findings.push(...(await examineAgents(project, config)));
  for (const text of hookFlaws(project, config)) {
    findings.push({ name: 'hooks', text, harmless: true });
  }
  return findings;
}

/** Warnings about gate commands with common mistakes. */
function gateFlaws(command: string): readonly Finding[] {
  return lintCommand(command).map(({ text, fix }) => {
    const problem = `the gate command "${command.trim()}" ${text}`;
    return {
      name: 'gate',
      text: '',
      trouble: { kind: 'usage', problem, remedy: fix },
      harmless: true,
    };
  });
}

/** Probes with a scratch attempt: it commits, and tries to write the repository, its hooks and the user's files. */
async function sandboxFindings(project: Project, config: Config): Promise<readonly Finding[]> {
  const name = 'sandbox';
  const sandbox = await project.sandbox(config, { thorough: true });
  if (sandbox.id === 'off') return [{ name, text: 'none, as configured', harmless: true }];
  if (sandbox.id === 'on') {
    const text = `${sandbox.mode}, by bubblewrap; a probe took ${sandbox.ms} ms`;
    return [{ name, text }, ...hiddenPathFindings(sandbox.hiddenPath)];
  }
  const { cause, advice } = sandbox;
  const trouble: Failure = { kind: 'sandbox-missing', wanted: config.sandbox, cause, advice };
  const isAuto = config.sandbox === 'auto';
  return [
    { ...problem(name, trouble), ...(isAuto ? { harmless: true, remedy: `${advice}.` } : {}) },
  ];
}

/** Agents and gates have the user's PATH, but a `/tmp` and a `/run` of their own; `strict` hides the home too. */
function hiddenPathFindings(folders: readonly string[]): readonly Finding[] {
  if (folders.length === 0) return [];
  const which = folders.length === 1 ? 'this folder' : 'these folders';
  const trouble: Failure = {
    kind: 'usage',
    problem: `The sandbox hides ${which} of your PATH: ${folders.join(', ')}. Agents and gates do not find programs there`,
    remedy: `Install the programs in another folder, or add ${which} to \`sandbox_writable\`. Agents can then change what is there`,
  };
  return [{ name: 'sandbox', text: '', trouble, harmless: true }];
}

/** An empty list in the config text that nothing has to be set up; then a lock file is no reason for a warning. */
async function setupFindings(project: Project, config: Config): Promise<readonly Finding[]> {
  const { setup } = config.worktree;
  if (setup.length > 0) return [{ name: 'set-up', text: setup.join('; ') }];
  if (config.origins.get('worktree.setup')?.origin !== 'default') return [];
  const found = await detectSetupIn(project);
  if (found.length === 0) return [];
  const files = found.map(({ from }) => from).join(', ');
  const commands = JSON.stringify(found.flatMap((one) => one.commands));
  const trouble: Failure = {
    kind: 'usage',
    problem: `Found ${files}, but \`worktree.setup\` is not set: worktrees start without dependencies`,
    remedy: `Type \`ym config set worktree.setup ${shellQuoted(commands)}\`, or \`ym config set worktree.setup '[]'\` if nothing needs to be installed`,
  };
  return [{ name: 'set-up', text: '', trouble, harmless: true }];
}

function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

async function storeFinding(project: Project): Promise<Finding> {
  const state = await stateOfStore(project);
  if (state.id !== 'sound') return problem('store', state.trouble);
  const [copy] = project.snapshots.list();
  const copied = copy === undefined ? '' : `; newest copy from ${utcMinute(copy.at)}`;
  return { name: 'store', text: `sound: its records match its log${copied}` };
}

/** Checks that the plain files of the newest run can be read. */
async function filesFinding(project: Project): Promise<readonly Finding[]> {
  const runs = await reading(project, (store) => store.runs(1));
  const newest = runs.ok ? runs.value[0] : undefined;
  if (newest === undefined) return [];
  const checked = tried(() => checkRunFiles(join(runsDir(project), newest.id)));
  if (!checked.ok) return [problem('files', checked.failure)];
  return [{ name: 'files', text: `of run ${newest.id} can be read` }];
}

/** Compares records, git and disk. A store that cannot be read is reported by another finding. */
async function inventoryFinding(project: Project): Promise<readonly Finding[]> {
  const comparing = reading(project, async (store) => {
    const inventory = await readInventory({ ...project, store });
    if (!inventory.ok) return inventory;
    const missing = await missingRefs(inventory.value, project.git);
    if (!missing.ok) return missing;
    return ok({
      ...inventory.value,
      found: mismatchText([...mismatches(inventory.value), ...missing.value]),
    });
  });
  const compared = await settled(comparing);
  if (!compared.ok) return [];
  const { worktrees, refs, found } = compared.value;
  if (found !== undefined) {
    const text = `records, git and disk differ: ${found}; \`ym ledger\` lists them`;
    return [{ name: 'inventory', text, harmless: true }];
  }
  const sum = `${counted(worktrees.length, 'worktree')} and ${counted(refs.length, 'ref')}`;
  return [{ name: 'inventory', text: `${sum}: records, git and disk agree` }];
}

/** Compares the landed tasks with their targets. Errors are reported by other findings. */
async function landingFindings(project: Project): Promise<readonly Finding[]> {
  const found = await reading(project, async (store) => {
    const runs = await store.runs(limits.runsListed);
    return runs.ok ? tasksNow({ ...project, store }, runs.value) : runs;
  });
  const tasks = found.ok ? found.value : [];
  const name = 'landings';
  const dropped = tasks.flatMap(({ task: { id }, status }): Finding[] => {
    if (status.id !== 'blocked' || status.failure.kind !== 'landing-dropped') return [];
    const { failure: trouble } = status;
    return [{ name, text: `task ${id}`, trouble, remedy: explain(trouble, id).do, harmless: true }];
  });
  if (dropped.length > 0) return dropped;
  const landed = tasks.filter(
    ({ task, status }) => status.id === 'landed' && task.variantOf === undefined,
  ).length;
  if (landed === 0) return [];
  return [{ name, text: `${counted(landed, 'task')} landed, and the target has them all` }];
}

/** Checks that every place that a run writes to can be written and has room. */
async function placeFindings(project: Project): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const { name: place, dir } of writtenPlaces(project)) {
    const name = `${place} disk`;
    const space = await outcomeOf(spaceOf(dir));
    const room = space.ok && space.value.low !== undefined ? fail(space.value.low) : space;
    const writable = room.ok ? await outcomeOf(checkWriting(dir)) : ok(undefined);
    findings.push(
      writable.ok
        ? finding(name, room, ({ freeBytes }) => `${dir} (${binarySize(freeBytes)} free)`)
        : problem(name, writable.failure),
    );
  }
  return findings;
}

function finding<T>(name: string, result: Result<T>, text: (value: T) => string): Finding {
  return result.ok ? { name, text: text(result.value) } : problem(name, result.failure);
}

function problem(name: string, trouble: Failure): Finding {
  return { name, text: '', trouble };
}

/** One note per check in quarantine. Errors are ignored here: other findings report them. */
async function flakyFindings(project: Project, config: Config): Promise<readonly Finding[]> {
  const gate = async (): Promise<readonly string[]> => {
    const found = await settled(gateOfTarget(project, config));
    return found.ok ? found.value.gate.commands : [];
  };
  const found = await reading(project, (store) => quarantinedNow(store, gate, project.clock.now()));
  return (found.ok ? found.value : []).map(({ command, until }) => ({
    name: 'flaky',
    text: `"${command}" failed and then passed on the same tree too often; it gets extra tries until ${utcMinute(until)}`,
    harmless: true,
  }));
}

/**
 * Asks every agent and model that a run of the open tasks may need, and those that the rules of the config name. One
 * finding each.
 */
async function examineModels(
  project: Project,
  config: Config,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const scope = { kind: 'ready' } as const;
  const settings = settingsOf(config, project, { target: '', scope, gate: '', quickGate: false });
  // The finding about agents reports that there is none.
  if (!settings.ok) return [];
  const stored = await reading(project, (store) => store.tasks());
  const open = (stored.ok ? stored.value : [])
    .filter(({ status }) => status.id === 'open' || status.id === 'failed')
    .map(({ task }) => task);
  const tasks = tasksAtWork([...open, ...tasksOfRules(config.models)], settings.value);
  const needed = modelsNeeded(settings.value, tasks);
  const probed = await settled(probeModels(project, config, needed, signal));
  if (!probed.ok) return [{ name: 'model', text: '', trouble: probed.failure }];
  return probed.value.map(findingOf);
}

function tasksOfRules({ byPriority = {}, byType = {} }: ModelRules): readonly Task[] {
  const task = { id: '', title: '' };
  return [
    ...([0, 1, 2, 3, 4] as const)
      .filter((priority) => `P${priority}` in byPriority)
      .map((priority) => newTask({ ...task, priority })),
    ...Object.keys(byType).map((type) => newTask({ ...task, type })),
  ];
}

function findingOf({ trouble, ...model }: ProbedModel): Finding {
  if (trouble === undefined) return { name: 'model', text: answerText(model), model };
  return { name: 'model', text: '', trouble, model };
}
