import type { Failure } from '../model/failure.ts';
import { explain, oneLine } from '../report/explain/explain.ts';
import type { Style } from '../report/format/style.ts';
import { examine, type Finding } from '../wire/examine.ts';
import { folderOf } from './open.ts';
import type { Call } from './parse.ts';
import { quarantineFindings } from './quarantine.ts';
import { screenOf } from './screen.ts';

/** Everything a run needs, looked at one by one, each with its fix. Exit status 3 where something is missing. */
export async function run(call: Call): Promise<number> {
  const folder = folderOf(call);
  const found = await examine(folder);
  const findings = [...found, ...(await quarantineFindings(folder, Date.now()))];
  const screen = screenOf(call);
  const { style, width } = screen;
  const bad = findings.filter(({ trouble, harmless }) => trouble !== undefined && !harmless);
  if (call.options.flag('json')) {
    screen.json({
      ok: bad.length === 0,
      checks: findings.map(({ name, says, trouble, remedy, harmless, agent }) => ({
        name,
        says,
        ...(agent === undefined ? {} : { agent }),
        ...(harmless === true ? { harmless } : {}),
        ...(trouble === undefined ? {} : { failure: fixed(trouble, remedy) }),
      })),
    });
  } else screen.lines(findings.flatMap((finding) => linesOf(finding, style, width)));
  return bad.length === 0 ? 0 : 3;
}

function linesOf(
  { name, says, trouble, remedy, harmless }: Finding,
  style: Style,
  width: number,
): string[] {
  const label = name.padEnd(10);
  if (trouble === undefined) {
    return [`${harmless === true ? style.dim('·') : style.green('✓')} ${label} ${says}`];
  }
  const sign = harmless === true ? style.yellow('!') : style.red('✗');
  const found = says === '' ? [] : [says];
  const [first = '', ...rest] = [
    ...found,
    oneLine(trouble, Math.max(20, width - 14)),
    fixed(trouble, remedy).do,
  ];
  return [`${sign} ${label} ${first}`, ...rest.map((line) => `             ${line}`)];
}

/** The explanation, with the remedy that was found out where there is one. */
function fixed(trouble: Failure, remedy: string | undefined): ReturnType<typeof explain> {
  const explained = explain(trouble);
  return remedy === undefined ? explained : { ...explained, do: remedy };
}
