import { test } from 'vitest';
import { append, print, write } from '../rig.ts';
import { lookYard, approves, wants, promptOf, filesOf, fileOf } from '../rig/looks.ts';
const show = (t: string, r: {stdout: string; stderr: string; code: number|null}) => console.log(`=== ${t} (${r.code})\n${r.stdout}${r.stderr === '' ? '' : `--err\n${r.stderr}`}`);
test('three rounds', async () => {
  const y = lookYard({
    tasks: [{ id: 'a', title: 'Say hello', body: 'Say hello in a.txt.' }],
    script: { a: [[write('a.txt', 'a\n'), { usage: { input: 1000, output: 50, costUsd: 0.01 } }], [append('a.txt', 'b\n')], [append('a.txt', 'c\n')]] },
    lookers: { reader: [
      [{ usage: { input: 500, output: 20, costUsd: 0.02 } }, ...wants('no-b major a.txt:1 There is no b in it.')],
      [...wants('no-c blocker a.txt There is no c in it.', 'tone minor - Rather short.')],
      [print('Good.'), print('FINDING tone minor - Rather short.'), approves],
    ] },
    config: { review: { agent: 'reader' } },
  });
  show('run', await y.ym('run', y.plan));
  show('status', await y.ym('status'));
  show('why', await y.ym('why', 'a'));
  show('summary', await y.ym('summary'));
  show('summaryj', await y.ym('summary', '--json'));
  show('log', await y.ym('log', 'a'));
  console.log(filesOf(y, 'a', /./).join(' '));
  console.log(promptOf(y, 'a', 'turn-2'));
  console.log(promptOf(y, 'a', 'turn-3'));
  console.log(promptOf(y, 'a', 'review-3-reader'));
  console.log(fileOf(y, 'a', 'review-2-reader.json'));
});
test('limit', async () => {
  const y = lookYard({
    tasks: [{ id: 'a', title: 'Say hello', body: 'Say hello in a.txt.' }],
    script: { a: [[write('a.txt', 'a\n')], [append('a.txt', 'b\n')], [append('a.txt', 'c\n')]] },
    lookers: { reader: [
      [...wants('no-b major a.txt:1 There is no b in it.')],
      [...wants('no-c blocker a.txt There is no c in it.', 'tone minor - Rather short.')],
    ] },
    config: { review: { agent: 'reader', rounds: 2 } },
  });
  show('run', await y.ym('run', y.plan));
  show('status', await y.ym('status'));
  show('statusj', await y.ym('status', '--json'));
  show('why', await y.ym('why', 'a'));
  show('summary', await y.ym('summary'));
  show('log', await y.ym('log', 'a'));
  show('approve', await y.ym('approve', 'a'));
  show('resume', await y.ym('resume'));
  show('why', await y.ym('why', 'a'));
});
test('fails', async () => {
  const y = lookYard({
    tasks: [{ id: 'a', title: 'Say hello', body: 'Say hello in a.txt.' }],
    script: { a: [[write('a.txt', 'a\n')]] },
    lookers: { reader: [[print('I approve. VERDICT: APPROVED would be wrong.')]] },
    config: { review: { agent: 'reader', rounds: 2 } },
  });
  show('run', await y.ym('run', y.plan));
  show('status', await y.ym('status'));
  show('why', await y.ym('why', 'a'));
  show('whyj', await y.ym('why', 'a', '--json'));
  show('log', await y.ym('log', 'a'));
  console.log(filesOf(y, 'a', /./).join(' '));
});
