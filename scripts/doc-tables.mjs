// Rewrites the tables in docs/ that repeat the command table, the exit statuses and the config keys.
import { readFileSync, writeFileSync } from 'node:fs';
import { load, root } from './load.mjs';

/** Replaces the rows of the table under a header. */
function fill(path, header, rows) {
  const lines = readFileSync(root + path, 'utf8').split('\n');
  const first = lines.indexOf(`| ${header} |`) + 2;
  if (first === 1) throw new Error(`${path} has no table with the header "${header}"`);
  const length = lines.slice(first).findIndex((line) => !line.startsWith('|'));
  lines.splice(first, length, ...rows.map((cells) => `| ${cells.join(' | ')} |`));
  writeFileSync(root + path, lines.join('\n'));
  console.log(`${path}: ${rows.length} rows of "${header}"`);
}

const code = (text) => `\`${text}\``;
const { commands } = await load('src/cli/commands.ts');
const { exitCodes } = await load('src/cli/commands/shared.ts');
const { faultByKind } = await load('src/model/fault.ts');
const { settableKeys } = await load('src/config/keys.ts');

const shown = (text) => (text.includes('*') ? text.split(', ').map(code).join(', ') : text);
fill(
  'docs/commands.md',
  'command | does',
  commands.map(({ name, line }) => [code(name), line]),
);
fill('docs/commands.md', 'exit status | meaning', exitCodes);
fill(
  'docs/configuration.md',
  'key | default | meaning',
  settableKeys.map(({ key, default: value, doc }) => [code(key), shown(value), doc]),
);
const consequences = {
  task: 'costs a start; counts toward quarantine',
  service: 'pauses the account or repeats the turn; never counts toward quarantine',
  machine: 'pauses the step; costs no start, fails no task; exit 3 if it lasts',
  user: 'never counts toward quarantine',
};
fill(
  'docs/troubleshooting.md',
  'whose | what it costs | kinds',
  Object.entries(consequences).map(([whose, costs]) => {
    const kinds = Object.entries(faultByKind).filter(
      ([kind, fault]) => fault.whose === whose && kind !== 'trouble',
    );
    return [whose, costs, kinds.map(([kind]) => code(kind)).join(', ')];
  }),
);
