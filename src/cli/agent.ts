import type { Attempt, EndSignal } from '../model/attempt.ts';
import type { AgentCall, EventBody } from '../model/event.ts';
import { type Failure, ok, type Result } from '../model/failure.ts';
import type { Task } from '../model/task.ts';
import { memberOf } from '../plan/agent-pool.ts';
import type { Store } from '../record/store.ts';
import { type Caller, callerFrom, refused, speaksFor } from '../wire/caller.ts';
import type { Project } from '../wire/project.ts';
import { projectConfig } from '../wire/project-config.ts';
import { redactorFor } from '../wire/secrets.ts';
import { answersTo } from './agent-claim.ts';
import { file } from './agent-follow-up.ts';
import { type Wish, wishOf } from './agent-wish.ts';
import { withStore } from './open.ts';
import type { Call } from './parse.ts';
import { type Screen, screenOf } from './screen.ts';
import { readUpTo } from './stdin.ts';
import { complain } from './trouble.ts';

/** What may stand around a text on standard input; it is cut off. */
const blankChars = 64 * 1024;

type Failures = Failure | readonly Failure[];

/** What an agent tells while its turn runs. Who it is comes from its environment alone, never from an argument. */
export async function run(call: Call): Promise<number> {
  const wish = await wishOf(call, async (word, most) =>
    word === '-' ? readUpTo(process.stdin, most + blankChars) : word,
  );
  if (!wish.ok) return complain([wish.failure]);
  const { YARD_PROJECT: project, YARD_TOKEN: token } = process.env;
  // The engine says where the project is; from an agent's worktree it would be found as well.
  const cwd = call.global.cwd ?? (project || '.');
  return withStore({ ...call, global: { ...call.global, cwd } }, 'write', async (opened) => {
    const caller = callerFrom(opened.project.dir, token);
    if (!caller.ok) return caller;
    const turn = await turnOf(opened.store, caller.value);
    if (!turn.ok) return turn;
    const done = await fulfil(opened.store, turn.value, clean(wish.value, opened.project), {
      screen: screenOf(call),
      json: call.options.flag('json'),
      quiet: call.global.quiet,
    });
    return done.ok ? ok(0) : done;
  });
}

/** The turn of an agent that may speak now. */
interface Turn {
  readonly caller: Caller;
  readonly task: Task;
  readonly attempt: Attempt;
  readonly turn: number;
}

/** The turn that is under way, by the record; an agent whose turn is over has nothing more to say. */
async function turnOf(store: Store, caller: Caller): Promise<Result<Turn>> {
  const found = await store.task(caller.task);
  if (!found.ok) return found;
  const attempt = found.value?.attempt;
  const name = `attempt ${caller.attempt} of task ${caller.task}`;
  if (found.value === undefined || attempt === undefined) return refused(`${name} is not known`);
  if (!speaksFor(caller, attempt)) {
    return refused(`${name} is over, and another one counts now`);
  }
  const { state } = attempt;
  if (state.id === 'working') {
    return ok({ caller, task: found.value.task, attempt, turn: state.turn });
  }
  const over = ['giving-up', 'landed', 'failed', 'planned'].includes(state.id);
  return refused(over ? `${name} is over` : `the turn of ${name} has ended`);
}

/** The same without secrets, as everything that goes into the record. */
function clean(wish: Wish, project: Project): Wish {
  const config = projectConfig(project);
  const { whole } = redactorFor(config.ok ? config.value : { agents: {} }, process.env);
  const cleaned: Wish = JSON.parse(JSON.stringify(wish), (_, value) =>
    typeof value === 'string' ? whole(value) : value,
  );
  return cleaned;
}

interface Way {
  readonly screen: Screen;
  readonly json: boolean;
  readonly quiet: boolean;
}

async function fulfil(
  store: Store,
  turn: Turn,
  wish: Wish,
  way: Way,
): Promise<Result<void, Failures>> {
  const { caller, task } = turn;
  const note = (call: AgentCall): EventBody => ({
    type: 'agent-reported',
    run: turn.attempt.run,
    id: caller.task,
    attempt: caller.attempt,
    turn: turn.turn,
    call,
  });
  switch (wish.id) {
    case 'say': {
      const stored = await store.append(Date.now(), wish.calls.map(note));
      return stored.ok ? told(store, task, wish.calls, way) : stored;
    }
    case 'claim': {
      const stored = await store.append(Date.now(), [note({ id: 'claim', ids: wish.ids })]);
      if (!stored.ok) return stored;
      const answers = await answersTo(store, caller.task, wish.ids);
      if (!answers.ok) return answers;
      const lines = answers.value.map(({ id, claimed, reason, title }) =>
        claimed ? `${id}: claimed, it is yours: ${title}` : `${id}: not claimed (${reason})`,
      );
      if (answers.value.some(({ claimed }) => claimed)) {
        lines.push('`ym show ID` shows a task whole. What you claimed lands with your own task.');
      }
      return print(way, lines, { task: task.id, claims: answers.value });
    }
    case 'follow-up': {
      const settings = await store.run(turn.attempt.run);
      if (!settings.ok) return settings;
      const agentPool = settings.value?.settings;
      const member = agentPool === undefined ? undefined : memberOf(agentPool, turn.attempt.agent);
      if (member?.role === 'executor') return refused('an executor files no tasks');
      const filed = await file(store, wish, task, note);
      if (!filed.ok) return filed;
      const { task: made, isNew } = filed.value;
      return print(way, [`${isNew ? 'Filed' : 'Filed before as'} ${made.id}`], made);
    }
  }
}

/** Says what was noted, as the record has it now: a weaker word does not undo a stronger one. */
async function told(
  store: Store,
  task: Task,
  calls: readonly AgentCall[],
  way: Way,
): Promise<Result<void>> {
  const last = calls.at(-1);
  if (last === undefined) return ok(undefined);
  const now = await store.task(task.id);
  if (!now.ok) return now;
  const stronger = strongerThan(last, now.value?.attempt?.signal);
  const counts = stronger === undefined;
  const line = counts ? noted(last) : `You said before that ${stronger}: that counts.`;
  return print(way, [line], { task: task.id, said: last.id, counts });
}

/** What an agent had said before that counts more than what it says now. */
function strongerThan(last: AgentCall, said: EndSignal | undefined): string | undefined {
  if (said === undefined || said.id === last.id || !(last.id in endings)) return undefined;
  return endings[said.id]?.means;
}

/** What ends a turn, by its id: what it means, and what is said when it was noted. */
const endings: Readonly<Partial<Record<EndSignal['id'], { means: string; noted: string }>>> = {
  complete: {
    means: 'the task is complete',
    noted: 'Noted: the task is complete. End your turn now.',
  },
  'gave-up': { means: 'you give up', noted: 'Noted: you give up. End your turn now.' },
  ask: {
    means: 'you have a question',
    noted: 'The question is noted. End your turn now; the answer comes with the next one.',
  },
};

function noted(call: AgentCall): string {
  if (call.id === 'next') {
    return call.ids.length === 0
      ? 'Noted: nothing should come next.'
      : `Noted: next should come ${call.ids.join(', ')}.`;
  }
  return call.id === 'report' ? 'Noted.' : (endings[call.id]?.noted ?? 'Noted.');
}

function print({ screen, json, quiet }: Way, lines: readonly string[], value: object) {
  if (json) screen.json(value);
  else if (!quiet) screen.lines(lines);
  return ok(undefined);
}
