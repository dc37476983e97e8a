// A `bd` that tests can steer: it keeps its issues in a JSON file and notes each call, as the documents of Beads say.
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const script = `
const { existsSync, readFileSync, writeFileSync, appendFileSync } = require('node:fs');
const { join } = require('node:path');
const file = join(__dirname, 'issues.json');
const issues = JSON.parse(readFileSync(file, 'utf8'));
const args = process.argv.slice(2);
const input = readFileSync(0, 'utf8');
appendFileSync(join(__dirname, 'calls.jsonl'), JSON.stringify({ args, input, cwd: process.cwd() }) + '\\n');
const [verb, id] = args;
const option = (name) => args[args.indexOf('--' + name) + 1];
const end = (exit, stdout, stderr = '') => {
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  process.exitCode = exit;
};
const issue = issues.find((one) => one.id === id);
const save = (change) => {
  Object.assign(issue, change);
  writeFileSync(file, JSON.stringify(issues));
  end(0, JSON.stringify([issue]));
};
if (existsSync(join(__dirname, 'broken'))) end(1, '', 'Error: database is locked\\n');
else if (verb === 'export') end(0, issues.map((one) => JSON.stringify(one) + '\\n').join(''));
else if (issue === undefined) end(1, '', 'Error: no issue found matching "' + id + '"\\n');
else if (verb === 'show') end(0, JSON.stringify([issue]));
else if (verb === 'update') save({ status: option('status') });
else if (verb === 'close' && issue.status === 'closed') end(1, '', 'Error: already closed\\n');
else if (verb === 'close') save({ status: 'closed', close_reason: option('reason'), closed_at: new Date().toISOString() });
else if (verb === 'reopen') save({ status: 'open' });
else end(1, '', 'Error: unknown command\\n');
`;

export class StandInBd {
  /** Put it first on the PATH. */
  readonly folder: string;

  constructor(folder: string, issues: readonly Readonly<Record<string, unknown>>[]) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'bd'), `#!${process.execPath}\n${script}`);
    chmodSync(join(folder, 'bd'), 0o755);
    writeFileSync(join(folder, 'issues.json'), JSON.stringify(issues));
  }

  get calls(): readonly { readonly args: readonly string[]; readonly cwd: string }[] {
    const file = join(this.folder, 'calls.jsonl');
    if (!existsSync(file)) return [];
    const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
    return lines.map((line) => JSON.parse(line) as { args: string[]; cwd: string });
  }

  issue(id: string): Readonly<Record<string, unknown>> | undefined {
    const text = readFileSync(join(this.folder, 'issues.json'), 'utf8');
    const issues = JSON.parse(text) as Readonly<Record<string, unknown>>[];
    return issues.find((one) => one.id === id);
  }

  break(): void {
    writeFileSync(join(this.folder, 'broken'), '');
  }
}
