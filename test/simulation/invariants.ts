import { isLive, slotOf } from '../../src/model/attempt-state.ts';
import { type Event, tasksOf } from '../../src/model/event.ts';
import { troubleOf } from '../../src/model/fault.ts';
import { limits } from '../../src/model/limits.ts';
import { type RunRecord, stopOf } from '../../src/model/run-record.ts';
import { outcomeOf } from '../../src/model/trouble.ts';
import type { TurnResult } from '../../src/model/turn.ts';
import { fold } from '../../src/plan/fold.ts';
import { State } from '../../src/plan/state.ts';
import { canLand } from './characters.ts';
import { isGreen } from './gate.ts';
import { keptWork } from './kept-work.ts';
import { plannedOnce, revisedOnce } from './planning.ts';
import { answeredInTime } from './questions.ts';
import { testsFailedFirst } from './tests-first.ts';
import { oneVariantLands } from './variants.ts';
import { spawnRate, type World } from './world.ts';

/** Checks everything that must hold after a run, and lists violations. */
export async function broken(world: World, run: RunRecord): Promise<readonly string[]> {
  const wrong: string[] = [];
  const say = (line: string): void => {
    wrong.push(line);
  };
  const values = await targetValues(world);
  alwaysGreen(world, say);
  await landedOnce(world, values, say);
  await nothingLost(world, say);
  await keptWork(world, say);
  exact(world, say);
  gatesFit(world, say);
  startsPaced(world, say);
  for (const line of world.notes.early) say(line);
  paused(world, say);
  blameless(world, say);
  riding(world, say);
  letThrough(world, say);
  plannedOnce(world, say);
  revisedOnce(world, say);
  oneVariantLands(world, say);
  testsFailedFirst(world, say);
  answeredInTime(world, say);
  await messagesRead(world, say);
  await settled(world, run, say);
  await nothingLeft(world, say);
  const differences = await world.store.audit();
  for (const line of differences.ok ? differences.value : ['audit failed']) say(`audit: ${line}`);
  return wrong;
}

export type Say = (line: string) => void;

/** First-parent commits of the target, newest first. */
async function targetValues({ git }: World): Promise<readonly string[]> {
  const values: string[] = [];
  const tip = await outcomeOf(git.resolve('refs/heads/main'));
  let at = tip.ok ? tip.value : undefined;
  while (at !== undefined) {
    values.push(at);
    const info = await outcomeOf(git.commit(at));
    at = info.ok ? info.value.parents[0] : undefined;
  }
  return values;
}

/** Commits that the target was moved to; with batches not every commit of its history. */
function alwaysGreen({ git, events }: World, say: Say): void {
  for (const event of events) {
    if (event.type !== 'landed') continue;
    if (!isGreen(git.tree(event.commit))) say(`the target was red at ${event.commit}`);
  }
}

async function landedOnce({ git, events, tasks }: World, values: readonly string[], say: Say) {
  for (const { id } of tasks) {
    const told = new Set(
      events.flatMap((event) =>
        event.type === 'landed' && tasksOf(event).includes(id) ? [event.commit] : [],
      ),
    );
    if (told.size > 1) say(`${id} is said to have landed ${told.size} times`);
    // Rebased commits of the work name the task but no run.
    const there = values.filter((commit) => {
      const message = git.message(commit) ?? '';
      return message.includes(`Yard-Task: ${id}\n`) && message.includes('Yard-Run: ');
    });
    if (there.length !== told.size) {
      say(`${id} landed ${there.length} times on the target, ${told.size} times in the log`);
    }
  }
}

/** The last captured work of an attempt is on the target, or on the branch that its failure names. */
async function nothingLost({ git, events }: World, say: Say): Promise<void> {
  const captured = new Map<string, { commit: string; event: Event }>();
  for (const event of events) {
    if (event.type === 'work-captured') {
      captured.set(`${event.id}-${event.attempt}`, { commit: event.commit, event });
    }
  }
  const refs = await outcomeOf(git.refs('refs/'));
  const holders = refs.ok ? refs.value : [];
  // Squashed or rebased work has other commits; that it landed once is checked elsewhere.
  const landed = new Set(
    events.flatMap((event) =>
      event.type === 'landed' ? event.entries.map(({ commit }) => commit) : [],
    ),
  );
  for (const [attempt, { commit }] of captured) {
    let held = landed.has(commit);
    for (const { commit: holder } of holders) {
      const inside = await outcomeOf(git.isAncestor(commit, holder));
      held ||= inside.ok && inside.value;
    }
    if (!held) say(`the work of ${attempt} (${commit}) is on no ref`);
  }
}

/** True if the turn after one with this result belongs to the same try. */
function goesOn(result: TurnResult): boolean {
  if (result.ok) return result.signal !== undefined && result.signal.id !== 'complete';
  return !['evidence', 'error', 'final', 'interruption'].includes(troubleOf(result.failure));
}

/** No agent of an account starts during the account's pause. */
function paused({ events, agentPool }: World, say: Say): void {
  const until = new Map<string, number>();
  const agents = new Map<string, string>();
  const account = (id: string): string =>
    agentPool.find(({ name }) => name === agents.get(id))?.account ?? '';
  for (const event of events) {
    if (event.type === 'run-resumed' || event.type === 'run-started') until.clear();
    if (event.type === 'attempt-started') agents.set(event.id, event.agent);
    if (event.type === 'turn-started') {
      if (event.agent !== undefined) agents.set(event.id, event.agent);
      if (event.at < (until.get(account(event.id)) ?? 0)) say(`${event.id} started in a pause`);
    }
    if (event.type !== 'turn-ended' || event.result.ok) continue;
    const { failure } = event.result;
    if (failure.kind !== 'quota-exhausted' || failure.resetAt === undefined) continue;
    const before = until.get(account(event.id)) ?? 0;
    until.set(account(event.id), Math.max(before, failure.resetAt));
  }
}

/** No attempt ends because of the machine, and no task is left alone for it. Set-up commands have their own bound. */
function blameless({ events, state }: World, say: Say): void {
  for (const event of events) {
    if (event.type !== 'attempt-given-up' && event.type !== 'attempt-failed') continue;
    if (troubleOf(event.failure) === 'retry') say(`${event.id} pays for ${event.failure.kind}`);
  }
  for (const { task, status } of state.tasks.values()) {
    const last = 'failure' in status && 'last' in status.failure ? status.failure.last : undefined;
    if (last !== undefined && troubleOf(last) === 'retry')
      say(`${task.id} is left for ${last.kind}`);
  }
}

/** A co-claimed task depends on nothing that landed after the attempt started. */
function riding({ events, tasks }: World, say: Say): void {
  const began = new Map<string, number>();
  const landed = new Map<string, number>();
  const parents = new Map(tasks.map((task) => [task.id, task.after]));
  for (const event of events) {
    if (event.type === 'attempt-started') began.set(event.id, event.seq);
    // A skipped task has no work that a tree could lack.
    if (event.type === 'task-decided' && event.decision.kind === 'skip') landed.set(event.id, 0);
    if (event.type !== 'landed') continue;
    for (const { id, coClaims = [] } of event.entries) {
      for (const parent of coClaims.flatMap((coClaim) => parents.get(coClaim) ?? [])) {
        const late = (landed.get(parent) ?? Number.POSITIVE_INFINITY) > (began.get(id) ?? 0);
        if (late) say(`a co-claimed task of ${id} needed ${parent}, which was not in its tree`);
      }
    }
    for (const id of tasksOf(event)) landed.set(id, event.seq);
  }
}

/** Checks owners, slots, dependencies and limits along the log. */
function exact({ events, tasks, retries }: World, say: Say): void {
  const continued = new Set<string>();
  const state = new State();
  const unread = new Map<string, number>();
  const carried = new Map<string, number>();
  /** Slots that agents are in, with the run of each: a new run may have fewer slots than work to take over. */
  const running = new Map<string, string>();
  const landed = new Set<string>();
  const starts = new Map<string, number>();
  const parents = new Map(tasks.map((task) => [task.id, task.after]));
  const placeOf = (run: string, slot: number): string => `${run} ${slot}`;
  const take = ({ id, run, slot }: { id: string; run: string; slot: number }): void => {
    const place = placeOf(run, slot);
    if ([...running.values()].includes(place)) say(`slot ${slot} is taken twice`);
    running.set(id, place);
  };
  const isOpen = (id: string): boolean => state.task(id)?.status.id === 'open';
  for (const event of events) {
    const closed = [...starts.keys()].filter((id) => !isOpen(id));
    fold(state, event);
    slotsFit(state, event, say);
    // A person who retries a task, or one that has variants, gives each task that it opens new starts.
    if (event.type === 'task-decided' && event.decision.kind === 'retry') {
      for (const id of closed) if (isOpen(id)) starts.delete(id);
    }
    // A new run resets the retries of every task, and gives an adopted attempt one of its own slots.
    if (event.type === 'run-started') starts.clear();
    if (event.type === 'attempt-adopted' && running.has(event.id)) {
      if (event.slot === undefined) say(`${event.id} was taken over at work without a slot`);
      else running.set(event.id, placeOf(event.run, event.slot));
    }
    if (event.type === 'call-started') {
      take(event);
    }
    if (event.type === 'call-ended') running.delete(event.id);
    // Changes that reviewers or a person want belong to the same try.
    const { type } = event;
    if (type === 'call-ended' && event.call.kind === 'review' && isObjection(event)) {
      if (event.result.ok) continued.add(event.id);
    }
    if (type === 'task-decided' && event.decision.kind === 'reject') continued.add(event.id);
    // So does the turn that makes tests pass.
    if (event.type === 'branch-judged' && event.tests?.id === 'red') continued.add(event.id);
    // An accepted revision forgives its starts.
    if (event.type === 'plan-proposed' && event.outcome.id === 'proposed') starts.delete(event.id);
    // A turn of an agent that is told where its work is continues its try.
    if (type === 'work-left-out') continued.add(event.id);
    if (event.type === 'message-sent') unread.set(event.id, (unread.get(event.id) ?? 0) + 1);
    if (event.type === 'turn-started') {
      carried.set(event.id, event.messages?.length ?? 0);
      unread.set(event.id, (unread.get(event.id) ?? 0) - (event.messages?.length ?? 0));
      if (running.has(event.id)) say(`${event.id} has two agents at once`);
      take(event);
      if (!continued.delete(event.id)) starts.set(event.id, (starts.get(event.id) ?? 0) + 1);
      const slots = state.run(event.run)?.slots.length ?? 0;
      if (event.slot < 1 || event.slot > slots) say(`there is no slot ${event.slot}`);
      for (const parent of parents.get(event.id) ?? []) {
        if (!landed.has(parent)) say(`${event.id} started before ${parent} had landed`);
      }
    }
    if (event.type === 'turn-ended') {
      running.delete(event.id);
      const back = event.result.ok ? 0 : (carried.get(event.id) ?? 0);
      unread.set(event.id, (unread.get(event.id) ?? 0) + back);
      // An agent that is done but has unread messages gets one more turn of the same try.
      const isUnread = event.result.ok && (unread.get(event.id) ?? 0) > 0;
      if (isUnread || goesOn(event.result)) continued.add(event.id);
      const given = !event.result.ok && event.result.failure.kind === 'interrupted';
      if (given) starts.set(event.id, (starts.get(event.id) ?? 0) - 1);
      // A person took the worktree, whatever the agent had signaled by then.
      else if (state.task(event.id)?.attempt?.state.id === 'held') continued.add(event.id);
    }
    if (event.type === 'attempt-failed') continued.delete(event.id);
    if (event.type === 'landed') for (const id of tasksOf(event)) landed.add(id);
    if (type === 'task-decided' && event.decision.kind === 'skip') landed.add(event.id);
  }
  for (const [id, count] of starts) {
    if (count > 1 + retries) say(`${id} had ${count} agent starts`);
  }
}

/** No two attempts of a run hold the same slot. */
function slotsFit(state: State, event: Event, say: Say): void {
  if (!('run' in event) || !('slot' in event)) return;
  const held = [...state.live].flatMap((id) => {
    const attempt = state.task(id)?.attempt;
    const slot = attempt?.run === event.run ? slotOf(attempt.state) : undefined;
    return slot === undefined ? [] : [slot];
  });
  if (new Set(held).size < held.length) say(`slot of ${event.type} ${event.seq} is held twice`);
}

/** Every message is in the prompt of exactly one successful turn, or is shown as unread. */
async function messagesRead({ events, store, processes }: World, say: Say): Promise<void> {
  const carried = new Map<string, readonly number[]>();
  const read = new Map<number, number>();
  for (const event of events) {
    if (event.type === 'turn-started') {
      const { id, attempt, turn, messages = [] } = event;
      carried.set(id, messages);
      const named = `attempts/${id}-${attempt}/turn-${turn}.prompt.md`;
      const prompt = [...processes.files].find(([path]) => path.endsWith(named))?.[1] ?? '';
      for (const seq of messages) {
        const sent = events.find((one) => one.seq === seq);
        const text = sent?.type === 'message-sent' && sent.id === id ? sent.text : '?';
        // An engine that died at this point left the prompt to the next one, which may not have needed it.
        if (prompt !== '' && !prompt.includes(text)) say(`turn ${turn} of ${id} lacks "${text}"`);
      }
    }
    if (event.type !== 'turn-ended') continue;
    for (const seq of event.result.ok ? (carried.get(event.id) ?? []) : []) {
      read.set(seq, (read.get(seq) ?? 0) + 1);
    }
    carried.delete(event.id);
  }
  for (const event of events) {
    if (event.type !== 'message-sent') continue;
    const times = read.get(event.seq) ?? 0;
    const record = await store.task(event.id);
    const messages = record.ok ? record.value?.messages : undefined;
    const known = messages?.find(({ seq }) => seq === event.seq);
    if (times > 1) say(`"${event.text}" was read ${times} times by ${event.id}`);
    if (known === undefined) say(`"${event.text}" to ${event.id} is lost`);
    else if ((known.readIn === undefined) !== (times === 0)) {
      say(`"${event.text}" to ${event.id} is shown in the wrong way`);
    }
  }
}

/** No two gates hold the same gate slot. */
function gatesFit({ events, gateSlots }: World, say: Say): void {
  const held = new Map<string, number>();
  const take = (key: string, slot: number): void => {
    if ([...held.values()].includes(slot)) say(`gate slot ${slot} is taken twice`);
    if (slot < 0 || slot >= gateSlots) say(`there is no gate slot ${slot}`);
    held.set(key, slot);
  };
  for (const event of events) {
    // A run stops its gates before it ends; gates of a dead run hold no slot of the new one.
    if (event.type === 'run-started' || event.type === 'run-ended') held.clear();
    if (event.type === 'gate-started') take(`${event.candidate} ${event.count}`, event.slot);
    if (event.type === 'branch-gate-started') take(event.id, event.gateSlot);
    if (event.type === 'branch-judged' || event.type === 'attempt-failed') held.delete(event.id);
    // A run that ends skips the gate that it has stopped.
    if (event.type === 'gate-skipped') held.delete(event.id);
    if (event.type === 'gate-abandoned') held.delete(`${event.candidate} ${event.count}`);
    if (event.type === 'candidate-judged') held.delete(`${event.candidate} ${event.count ?? 1}`);
  }
}

/** No more agents than the pace allows start within one second, also if they end at once. */
function startsPaced({ events }: World, say: Say): void {
  const starts = new Map<string, number[]>();
  for (const event of events) {
    if (event.type !== 'turn-started' && event.type !== 'call-started') continue;
    const before = starts.get(event.run) ?? [];
    const full = before.at(-spawnRate);
    if (full !== undefined && event.at - full < limits.spawnWindowMs) {
      say(`${event.type} ${event.seq} is the ${spawnRate + 1}th start within a second`);
    }
    starts.set(event.run, [...before, event.at]);
  }
}

/** The run ended because nothing was left to do, and everything that could land has landed. */
async function settled(world: World, run: RunRecord, say: Say): Promise<void> {
  const stop = stopOf(run);
  const patient = stop?.failure?.kind === 'checkout-in-the-way';
  if (stop?.reason !== 'drained' && stop?.reason !== 'slot-errors' && !patient) {
    say(`ended because of ${stop?.reason} ${JSON.stringify(stop?.failure ?? {})}`);
  }
  if (stop?.reason !== 'drained') return;
  for (const record of world.state.tasks.values()) {
    const { id, after } = record.task;
    if (record.attempt !== undefined && isLive(record.attempt.state)) say(`${id} is still live`);
    const free = after.every((parent) => world.state.task(parent)?.status.id === 'landed');
    const { status } = record;
    if (status.id === 'open' && free) say(`${id} could have started`);
    const blameless = canLand(world.characterOf(id));
    const isVariant = record.task.variantOf !== undefined;
    const tries = triesOf(world, id);
    const couldLand = tries.some(
      (one) => canLand(world.characterOf(one)) && !hadBadLuck(world, one),
    );
    const isMeddled = tries.length > 1 && wasMeddledWith(world, id);
    if (free && couldLand && status.id !== 'landed' && !isVariant && !isMeddled) {
      say(`${id} (${world.characterOf(id)}) ended ${status.id}`);
    }
    const rode = record.attempt?.state.id !== 'landed';
    if (!blameless && status.id === 'landed' && !rode) say(`${id} landed although it must not`);
    if (record.coClaimedBy !== undefined) say(`${id} still rides`);
    const isExplained = 'failure' in status || 'reason' in status;
    if (status.id !== 'landed' && status.id !== 'open' && !isExplained) {
      say(`${id} is ${status.id} without a reason`);
    }
  }
}

/** The variants that a task ever had, which a changed task forgets; else the task itself. */
function triesOf({ events }: World, id: string): readonly string[] {
  const variants = events.flatMap((event) =>
    event.type === 'variants-added' && event.id === id ? event.variants.map((one) => one.id) : [],
  );
  return variants.length === 0 ? [id] : variants;
}

/** True if a person decided about a task with variants other than by choosing one. */
function wasMeddledWith({ events }: World, id: string): boolean {
  return events.some(
    (event) => event.type === 'task-decided' && event.id === id && event.decision.kind !== 'choose',
  );
}

/** Everything that landed was approved by its reviewers or a person. */
function letThrough({ events, git, review }: World, say: Say): void {
  const approved = new Set<string>();
  const byPerson = new Set<string>();
  const chosen = new Set<string>();
  const waits = new Map<string, string>();
  for (const event of events) {
    if (event.type === 'work-captured') waits.set(event.id, event.commit);
    const commit = 'id' in event ? waits.get(event.id) : undefined;
    const isReview = event.type === 'call-ended' && event.call.kind === 'review';
    if (isReview && event.result.ok && commit !== undefined) {
      const key = `${event.call.agent} ${commit}`;
      if (isObjection(event)) approved.delete(key);
      else approved.add(key);
    }
    if (event.type === 'task-decided' && event.decision.kind === 'approve' && commit) {
      byPerson.add(commit);
    }
    if (event.type === 'task-decided' && event.decision.kind === 'choose') {
      chosen.add(waits.get(event.decision.variant) ?? '');
    }
    if (event.type !== 'landed') continue;
    for (const entry of event.entries) {
      const all =
        review?.reviewers.every((name) => approved.has(`${name} ${entry.commit}`)) ?? true;
      const person = byPerson.has(entry.commit);
      const isApproved = person || (all && chosen.has(entry.commit));
      if (!isApproved && (!all || review?.person === true)) say(`${entry.id} landed unreviewed`);
      const intrudes = git.tree(entry.commit).get('protected/judge') === `mine, says ${entry.id}`;
      if (intrudes && !person) say(`${entry.id} changed what is protected`);
      if (git.tree(entry.commit).has('scribbled')) say(`${entry.id} landed what a reviewer wrote`);
    }
  }
}

/**
 * A task that may land need not: it can be returned more often than its retries allow, and critics or reviewers may
 * object or give no verdict.
 */
function hadBadLuck({ events, retries }: World, id: string): boolean {
  const mine = events.filter((event) => 'id' in event && event.id === id);
  const turns = mine.filter(({ type }) => type === 'turn-started');
  return turns.length > retries || mine.some(isObjection);
}

function isObjection(event: Event): boolean {
  switch (event.type) {
    case 'call-ended':
      return !event.result.ok || ('verdict' in event.result && event.result.verdict !== 'approved');
    case 'approval-asked':
    case 'task-decided':
    // Its agent gave up.
    case 'revision-started':
      return true;
    case 'attempt-given-up':
      return event.failure.kind === 'question-unanswered';
    default:
      return false;
  }
}

/** No worktrees are left, and no refs except branches with the work of given-up attempts. */
async function nothingLeft({ git, disk, events }: World, say: Say): Promise<void> {
  for (const { n, key } of disk.values()) say(`worktree ${n} is left over (${key ?? 'free'})`);
  const kept = new Set(
    events.flatMap((event) =>
      event.type === 'attempt-failed' && event.kept !== undefined
        ? [`refs/heads/${event.kept}`]
        : [],
    ),
  );
  for (const prefix of ['refs/heads/yard/', 'refs/yard/keep/', 'refs/yard/held/']) {
    const refs = await outcomeOf(git.refs(prefix));
    for (const { ref } of refs.ok ? refs.value : []) {
      // Kept on purpose: an unfinished merge that was undone, or what an agent left in its stash or elsewhere.
      const isStray = /\.stray\d+$/.test(ref);
      if (!kept.has(ref) && !isStray) say(`${ref} is left over`);
    }
  }
}
