import type { Violation } from '../model/violation.ts';
import { type ChangedText, existed, exists, type Rules, shown, without } from './changed.ts';
import { baseName, within } from './commands.ts';
import { type GateReads, gateReads } from './gate-reads.ts';
import { isTestPath } from './read-test.ts';
import { parsedScripts } from './scripts.ts';
import { linesOf } from './size.ts';

/** Settings that decide how scripts are run. */
const runnerSettings: Readonly<Record<string, RegExp>> = {
  '.npmrc': /^\s*(?:script-shell|shell|ignore-scripts|node-options|prefix|globalconfig)\s*=/,
  '.yarnrc': /^\s*(?:yarn-path|script-shell|ignore-scripts)\s/,
  '.yarnrc.yml': /^\s*(?:yarnPath|enableScripts)\s*:/,
};

/**
 * Changes to files that decide what the gate runs. `textOf` returns texts of the target, also of unchanged files, to
 * follow the gate's commands.
 */
export function gateChanges(
  changed: readonly ChangedText[],
  { gate, gateSigns = [], tests }: Pick<Rules, 'gate' | 'gateSigns' | 'tests'>,
  textOf: (path: string) => string | undefined,
): readonly Violation[] {
  const reads = gateReads(gate, textOf);
  const violations = changed.flatMap((file): Violation[] => {
    const what = [
      runFile(file, reads, tests),
      ...changedScripts(file, reads),
      runnerSetting(file, reads),
      shadow(file, reads),
      sign(file, gateSigns),
    ];
    return what.flatMap((one) =>
      one === undefined ? [] : [{ kind: 'gate-changed', file: file.path, what: one }],
    );
  });
  const installed = changed.find(
    (file) => reads.scripts.size > 0 && file.path.startsWith('node_modules/') && !existed(file),
  );
  if (installed === undefined) return violations;
  const what = 'new, and would replace an installed package';
  return [...violations, { kind: 'gate-changed', file: installed.path, what }];
}

function runFile(
  file: ChangedText,
  { files }: GateReads,
  tests: Rules['tests'],
): string | undefined {
  const by = files.get(file.path);
  if (by === undefined) return undefined;
  const { before, after } = file;
  // A test file named by the gate may grow; the test rules cover the rest.
  if (tests === 'guard' && isTestPath(file.path) && existed(file) && onlyGrew(before, after)) {
    return undefined;
  }
  const how = !exists(file) ? 'gone' : !existed(file) ? 'new' : 'changed';
  return `${how}, and "${shown(by)}" runs it${difference(before, after)}`;
}

function onlyGrew(before: string | undefined, after: string | undefined): boolean {
  if (before === undefined || after === undefined) return false;
  const now = linesOf(after);
  let at = 0;
  for (const line of linesOf(before)) {
    if (/^\s*(?:import|from|const .*require\(|use|#include)\b/.test(line)) continue;
    while (at < now.length && now[at] !== line) at += 1;
    if (at === now.length) return false;
    at += 1;
  }
  return true;
}

/** First line that only the old side has, and first that only the new side has. */
function difference(before = '', after = ''): string {
  const [a, b] = [linesOf(before), linesOf(after)];
  const [gone] = without(a, b).filter((line) => line.trim() !== '');
  const [come] = without(b, a).filter((line) => line.trim() !== '');
  const parts = [
    gone === undefined ? '' : `- ${shown(gone)}`,
    come === undefined ? '' : `+ ${shown(come)}`,
  ];
  const text = parts.filter((part) => part !== '').join(' ');
  return text === '' ? '' : `: ${text}`;
}

function changedScripts(file: ChangedText, reads: GateReads): readonly string[] {
  if (baseName(file.path) !== 'package.json') return [];
  const own = reads.scripts.get(file.path);
  const names = new Set([...(own ?? []), ...reads.everywhere]);
  if (names.size === 0) return [];
  const before = parsedScripts(file.before);
  if (exists(file) && parsedScripts(file.after) === undefined)
    return ['it is no longer a valid package.json'];
  // All scripts of a new package are new to the gate.
  if (!existed(file) && own !== undefined) return ['new, and the gate runs its scripts'];
  const after = parsedScripts(file.after) ?? new Map<string, string>();
  return [...names].flatMap((name) => {
    const [was, is] = [before?.get(name), after.get(name)];
    if (was === is || (was === undefined && !existed(file))) return [];
    if (was === undefined) return [`script "${name}" is new: "${shown(is ?? '')}"`];
    if (is === undefined) return [`script "${name}" is gone, it was "${shown(was)}"`];
    return [`script "${name}" was "${shown(was)}", now "${shown(is)}"`];
  });
}

function runnerSetting(
  { path, before = '', after = '' }: ChangedText,
  reads: GateReads,
): string | undefined {
  const setting = Object.hasOwn(runnerSettings, path) ? runnerSettings[path] : undefined;
  if (setting === undefined || reads.scripts.size === 0) return undefined;
  const lines = (text: string): string[] => linesOf(text).filter((line) => setting.test(line));
  const [was, is] = [lines(before), lines(after)];
  const other = [...without(is, was), ...without(was, is)];
  return other[0] === undefined ? undefined : `it decides how scripts are run: ${shown(other[0])}`;
}

/** New module that Python would load instead of the installed one. */
function shadow(file: ChangedText, { modules }: GateReads): string | undefined {
  if (existed(file)) return undefined;
  const name = [...modules].find(
    (module) => file.path === within('', `${module}.py`) || file.path.startsWith(`${module}/__`),
  );
  return name === undefined ? undefined : `new, and runs in place of the module ${name}`;
}

/** New file that would change the detected gate. */
function sign(file: ChangedText, signs: readonly string[]): string | undefined {
  if (existed(file) || !signs.includes(file.path)) return undefined;
  return 'new, and the next run would detect its gate from it';
}
