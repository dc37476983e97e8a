// What the engine adds to a turn of a real agent: the same program by hand and as a turn, in the same rounds.
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { clis, installClis } from '../scripts/clis.mjs';
import { bundled } from './bundled.mjs';
import { median } from './measure.mjs';

const names = ['codex', 'claude'];
const perRound = 4;

export async function measureTurns(scratch, count) {
  process.env.YARDMASTER_TEST_CLIS ??= names.join(',');
  if ((await installClis()) !== 0) throw new Error('the agents could not be installed');
  const { contest } = await bundled(join(scratch, 'turn'), 'turn.ts');
  const there = clis();
  const rows = [];
  for (const name of names.filter((some) => there[some].binary !== undefined)) {
    const dir = join(scratch, `turns-${name}`);
    const worktree = join(dir, 'worktree');
    mkdirSync(worktree, { recursive: true });
    execFileSync('git', ['init', '--quiet', worktree]);
    rows.push(await measureAgent(contest, name, there[name].binary, dir, worktree, count));
  }
  return rows;
}

/** The order changes with every round, so that neither always comes after the other. */
async function measureAgent(contest, name, binary, dir, worktree, count) {
  const { byHand, asTurn, close } = await contest(name, binary, dir, worktree);
  const hand = [];
  const turn = [];
  await byHand(0);
  for (let round = 1; round <= count * perRound; round += 1) {
    const first = round % 2 === 0;
    if (first) hand.push(await byHand(round));
    turn.push(await asTurn(round));
    if (!first) hand.push(await byHand(round));
  }
  await close();
  const [handMs, turnMs] = [median(hand), median(turn)];
  return { agent: name, handMs, turnMs, addedMs: turnMs - handMs };
}
