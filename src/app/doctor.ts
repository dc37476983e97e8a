import { statfsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { runsDir } from '../files/layout.ts';
import { checkRunFiles } from '../files/read-files.ts';
import { checkWritable } from '../files/state-file.ts';
import type { Failure, Result } from '../model/failure.ts';
import { atLeast } from '../model/version.ts';
import type { AgentHealth, AgentInfo } from '../port/agent.ts';
import { utcMinute } from '../report/format/time.ts';
import { projectConfig } from './config.ts';
import { examineAgents } from './doctor-agents.ts';
import { quarantinedNow } from './flakes.ts';
import { checkGate, detectSetupIn, gateOfTarget } from './gate.ts';
import { reading } from './lookup.ts';
import type { Project } from './ports.ts';
import { promptsOf } from './prompts.ts';
import { findTarget, runConfig } from './target.ts';

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
}

/** Checks everything a run of the project needs, one finding each; a problem does not end the checks. */
export async function diagnose(project: Project): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  findings.push(await targetFinding(project));
  findings.push(finding('identity', await project.git.identity(), (identity) => identity));
  const config = await runConfig(project);
  if (config.ok) {
    const { warnings } = config.value;
    findings.push({ name: 'config', text: 'read' });
    findings.push(...warnings.map((text) => ({ name: 'config', text, harmless: true })));
    findings.push(...(await configFindings(project, config.value.config)));
  } else findings.push(...config.failure.map((failure) => problem('config', failure)));
  findings.push(await storeFinding(project));
  findings.push(...(await filesFinding(project)));
  findings.push(stateFinding(project));
  if (config.ok) findings.push(...(await flakyFindings(project, config.value.config)));
  return findings;
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

async function targetFinding(project: Project): Promise<Finding> {
  const config = projectConfig(project);
  const target = await findTarget(project, config.ok ? config.value : {});
  return finding('target', target, ({ branch, commit }) => `${branch} at ${commit.slice(0, 10)}`);
}

async function configFindings(project: Project, config: Config): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const gate = await gateOfTarget(project, config);
  if (gate.ok) {
    const { commands } = gate.value.gate;
    const usable = await checkGate(project, gate.value.gate, config.worktree.setup);
    const text = commands.length === 0 ? 'none, as configured' : commands.join('; ');
    findings.push(finding('gate', usable, () => `${text} (from ${gate.value.from})`));
  } else findings.push(problem('gate', gate.failure));
  findings.push(...(await setupFindings(project, config)));
  const prompts = promptsOf(config, project.root);
  if (!prompts.ok) findings.push(...prompts.failure.map((failure) => problem('prompts', failure)));
  findings.push(...(await examineAgents(project, config)));
  return findings;
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
  const differences = await reading(project, (store) => store.audit());
  if (!differences.ok) return problem('store', differences.failure);
  const [first] = differences.value;
  if (first === undefined) return { name: 'store', text: 'sound: its records match its log' };
  const detail = `${differences.value.length} records differ from the log, the first: ${first}`;
  return problem('store', { kind: 'store-corrupt', file: project.storeFile, detail });
}

/** Checks that the plain files of the newest run can be read. */
async function filesFinding(project: Project): Promise<readonly Finding[]> {
  const runs = await reading(project, (store) => store.runs(1));
  const newest = runs.ok ? runs.value[0] : undefined;
  if (newest === undefined) return [];
  const checked = checkRunFiles(join(runsDir(project), newest.id));
  if (!checked.ok) return [problem('files', checked.failure)];
  return [{ name: 'files', text: `of run ${newest.id} can be read` }];
}

function stateFinding(project: Project): Finding {
  const writable = checkWritable(project.stateDir);
  if (!writable.ok) return problem('state', writable.failure);
  const { bavail, bsize } = statfsSync(project.stateDir);
  const free = `${Math.floor((bavail * bsize) / 2 ** 30)} GB free`;
  return { name: 'state', text: `${project.stateDir} (${free})` };
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
    const found = await gateOfTarget(project, config);
    return found.ok ? found.value.gate.commands : [];
  };
  const found = await reading(project, (store) => quarantinedNow(store, gate, project.clock.now()));
  return (found.ok ? found.value : []).map(({ command, until }) => ({
    name: 'flaky',
    text: `"${command}" failed and then passed on the same tree too often; it gets extra tries until ${utcMinute(until)}`,
    harmless: true,
  }));
}
