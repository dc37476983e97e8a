import { fail, ok, type Result } from '../model/failure.ts';
import { limits } from '../model/limits.ts';
import { noteKinds, noteLimits } from '../model/note.ts';
import { isTaskId, type TaskId } from '../model/task.ts';
import type { AgentCall, AgentRequest, FollowUp } from '../model/turn.ts';
import { mailboxOf } from '../wire/mailbox.ts';
import type { Call } from './parse.ts';
import { complain, confirm } from './screen.ts';
import { readUpTo } from './stdin.ts';

/** White space around a text on standard input that is cut off. */
const blankChars = 64 * 1024;

/**
 * Sends what an agent reports during its turn to the engine of its run. The mailbox and the token in the environment say
 * which attempt calls; no argument does. This process neither opens the store nor reads a secret of the project.
 */
export async function run(call: Call): Promise<number> {
  const request = await requestOf(call, async (text, most) =>
    text === '-' ? readUpTo(process.stdin, most + blankChars) : text,
  );
  if (!request.ok) return complain([request.failure]);
  const mailbox = mailboxOf(process.env);
  const sent = mailbox.ok ? await mailbox.value.ask(request.value) : mailbox;
  if (!sent.ok) return complain([sent.failure]);
  if (!sent.value.ok) return complain(sent.value.failures);
  confirm(call, sent.value.lines, sent.value.value);
  return 0;
}

/** Word after `report` with which an agent files a task. */
const followUp = 'follow-up';
const aboutPattern = /^[a-z][a-z0-9-]{0,39}$/;

/**
 * Gives the text for a word that stands for standard input, and any other word as it is. Undefined where standard input
 * has so much more than `most` characters that the blanks around a text cannot be the reason.
 */
export type Reading = (word: string, most: number) => Promise<string | undefined>;

/** Understands the arguments of a call. Refuses whatever it cannot use, so that nothing an agent reports is lost. */
export async function requestOf(call: Call, read: Reading): Promise<Result<AgentRequest>> {
  const [action = '', ...words] = call.args;
  const stray = strayOption(call, action, words);
  if (stray !== undefined) return usage(`${stray} cannot be used with \`ym agent ${action}\``);
  switch (action) {
    case 'done':
      return done(call, words, read);
    case 'give-up':
      return giveUp(call, words, read);
    case 'ask':
      return question(words, read);
    case 'claim':
    case 'next': {
      const ids = idsOf(words);
      if (!ids.ok) return ids;
      if (action === 'next') return say({ id: 'next', ids: ids.value });
      return ids.value.length === 0
        ? usage('no task is named', '`ym agent claim ID…` names them')
        : ok({ id: 'claim', ids: ids.value });
    }
    case 'report':
      return report(call, words, read);
    case 'note':
      return note(call, words, read);
    default:
      return usage(`there is no call "${action}"`);
  }
}

/** The first option that belongs to another call. */
function strayOption(call: Call, action: string, [about]: readonly string[]): string | undefined {
  const { options } = call;
  const speaks = action === 'done' || action === 'give-up';
  const files = action === 'report' && about === followUp;
  if (action !== 'note' && options.number('supersedes') !== undefined) return '--supersedes';
  if (!speaks && options.text('message') !== undefined) return '--message';
  if (files) return undefined;
  if (options.text('body') !== undefined) return '--body';
  if (options.text('type') !== undefined) return '--type';
  if (options.number('priority') !== undefined) return '--priority';
  return options.list('after').length > 0 ? '--after' : undefined;
}

/** The text of `--message`; undefined without it. */
async function message(
  { options }: Call,
  [stray]: readonly string[],
  read: Reading,
): Promise<Result<string | undefined>> {
  if (stray !== undefined)
    return usage(`"${stray}" is an unexpected argument`, 'Pass the text with -m');
  const word = options.text('message');
  return word === undefined ? ok(undefined) : textOf(word, read, limits.agentTextChars);
}

async function done(...words: Parameters<typeof message>): Promise<Result<AgentRequest>> {
  const text = await message(...words);
  if (!text.ok) return text;
  if (text.value === undefined) return say({ id: 'complete' });
  return say({ id: 'report', about: 'done', text: text.value }, { id: 'complete' });
}

async function giveUp(...words: Parameters<typeof message>): Promise<Result<AgentRequest>> {
  const text = await message(...words);
  if (!text.ok) return text;
  if (text.value === undefined) return usage('no reason is given', 'Pass it with -m');
  return say({ id: 'gave-up', message: text.value });
}

async function question(words: readonly string[], read: Reading): Promise<Result<AgentRequest>> {
  const text = await textOf(words.join(' '), read, limits.agentTextChars);
  return text.ok ? say({ id: 'ask', question: text.value }) : text;
}

async function report(
  call: Call,
  words: readonly string[],
  read: Reading,
): Promise<Result<AgentRequest>> {
  const [about = '', ...rest] = words;
  if (!aboutPattern.test(about)) {
    return usage(`"${about}" does not say what the report is about`, 'Take a word such as note');
  }
  const most = about === followUp ? limits.titleChars : limits.agentTextChars;
  const text = await textOf(rest.join(' '), read, most);
  if (!text.ok) return text;
  if (about !== followUp) return say({ id: 'report', about, text: text.value });
  const { options } = call;
  const body = await textOf(options.text('body') ?? '', read, limits.bodyChars, true);
  if (!body.ok) return body;
  const after = idsOf(options.list('after'));
  if (!after.ok) return after;
  const type = options.text('type');
  const priority = options.number('priority');
  const found: FollowUp = {
    title: text.value.replace(/\s+/g, ' '),
    body: body.value || undefined,
    type,
    priority,
  };
  return ok({ id: 'follow-up', found, after: after.value });
}

async function note(
  { options }: Call,
  [word = '', ...rest]: readonly string[],
  read: Reading,
): Promise<Result<AgentRequest>> {
  const kind = noteKinds.find((known) => known === word);
  if (kind === undefined) {
    return usage(`"${word}" is not a kind of note`, `Kinds are ${noteKinds.join(', ')}`);
  }
  const text = await textOf(rest.join(' '), read, noteLimits.chars);
  if (!text.ok) return text;
  const found = { kind, text: text.value, supersedes: options.number('supersedes') };
  return ok({ id: 'note', found });
}

/** Ids as words, or several in one with commas between. */
function idsOf(words: readonly string[]): Result<readonly TaskId[]> {
  const ids = words.flatMap((word) => word.split(',')).map((word) => word.trim());
  const all = [...new Set(ids.filter((id) => id !== ''))];
  const bad = all.find((id) => !isTaskId(id));
  if (bad !== undefined) return usage(`"${bad}" is no id of a task`);
  return all.length > limits.claimIds
    ? usage(`there are more than ${limits.claimIds} ids`, 'Name fewer')
    : ok(all);
}

async function textOf(
  word: string,
  read: Reading,
  most: number,
  mayBeEmpty = false,
): Promise<Result<string>> {
  const text = (await read(word, most))?.trim();
  if (text === '' && !mayBeEmpty) return usage('the text is empty');
  return text === undefined || text.length > most
    ? usage(`the text is longer than ${most} characters`, 'Shorten it')
    : ok(text);
}

function say(...calls: readonly AgentCall[]): Result<AgentRequest> {
  return ok({ id: 'report', calls });
}

function usage(problem: string, remedy = 'See `ym agent --help`'): Result<never> {
  return fail({ kind: 'usage', problem, remedy: `${remedy}.` });
}
