import { lstatSync, mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fail, ok, type Result } from '../../model/failure.ts';
import type { Json } from '../harness.ts';
import { listAt, numberAt, objectAt, textAt } from '../stream.ts';
import { bounds, type ClientError, type ClientEvent, type Sessions } from './event.ts';
import {
  internalError,
  invalidParams,
  methodNotFound,
  type Peer,
  type Reply,
  type RequestHandler,
  type RpcError,
} from './peer.ts';
import { eventsOf, toolOf, turnUsage } from './updates.ts';

/** A request that changes a setting, and the resulting value. */
interface Choice {
  readonly method: string;
  readonly params: Json;
  readonly value: string;
}

export function currentModel(session: Json): string | undefined {
  return (
    textAt(optionFor(session, isModel), 'currentValue') ??
    textAt(objectAt(session, 'models'), 'currentModelId')
  );
}

/**
 * Request for a model; undefined if the agent has no such setting. A name that is not on the list is sent as it is, and
 * the agent decides.
 */
export function modelChoice(session: Json, wanted: string): Choice | undefined {
  const option = optionFor(session, isModel);
  if (option !== undefined) return optionChoice(option, matchingOrWanted(valuesOf(option), wanted));
  const models = objectAt(session, 'models');
  if (models === undefined) return undefined;
  const listed = listAt(models, 'availableModels').map((model) => ({
    value: textAt(model, 'modelId') ?? '',
    name: textAt(model, 'name') ?? '',
  }));
  const value = matchingOrWanted(listed, wanted);
  return { method: 'session/set_model', params: { modelId: value }, value };
}

/** Request for a reasoning level; only a listed level is sent. */
export function reasoningChoice(session: Json, wanted: string): Choice | undefined {
  const option = optionFor(session, (found) => textAt(found, 'category') === 'thought_level');
  if (option === undefined) return undefined;
  const value = matchingValue(valuesOf(option), wanted);
  return value === undefined ? undefined : optionChoice(option, value);
}

interface Offered {
  readonly value: string;
  readonly name: string;
}

const isModel = (option: Json): boolean =>
  textAt(option, 'category') === 'model' || textAt(option, 'id') === 'model';

function optionFor(session: Json, fits: (option: Json) => boolean): Json | undefined {
  return listAt(session, 'configOptions').find(fits);
}

function optionChoice(option: Json, value: string): Choice {
  const configId = textAt(option, 'id') ?? '';
  return { method: 'session/set_config_option', params: { configId, value }, value };
}

/** Values of a setting, which may be grouped. */
function valuesOf(option: Json): Offered[] {
  return listAt(option, 'options')
    .flatMap((entry) => (Array.isArray(entry.options) ? listAt(entry, 'options') : [entry]))
    .map((entry) => ({ value: textAt(entry, 'value') ?? '', name: textAt(entry, 'name') ?? '' }));
}

function matchingOrWanted(offered: readonly Offered[], wanted: string): string {
  return matchingValue(offered, wanted) ?? wanted;
}

/** Matches by value, else by name or without the provider prefix if only one value matches. */
function matchingValue(offered: readonly Offered[], wanted: string): string | undefined {
  if (offered.some(({ value }) => value === wanted)) return wanted;
  const alike = offered.filter(
    ({ value, name }) =>
      name.toLowerCase() === wanted.toLowerCase() || value.endsWith(`/${wanted}`),
  );
  return alike.length === 1 ? alike[0]?.value : undefined;
}

const notFound = -32002;

/** Reads a file of the worktree for the agent, or some of its lines. */
export function readTextFile(worktree: string, params: Json): Reply {
  return within(worktree, params, (file) => {
    const { size } = statSync(file);
    if (size > bounds.fileBytes) {
      return refused(`${file} has ${size} bytes; the limit is ${bounds.fileBytes}.`);
    }
    const text = readFileSync(file, 'utf8');
    const content = linesOf(text, numberAt(params, 'line'), numberAt(params, 'limit'));
    return { result: { content } };
  });
}

/** Writes a file of the worktree for the agent; creates its folders. */
export function writeTextFile(worktree: string, params: Json): Reply {
  const content = textAt(params, 'content');
  if (content === undefined) return refused('The request has no content to write.');
  return within(worktree, params, (file) => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
    return { result: {} };
  });
}

/** Line numbers start at 1; a final line end does not start another line. */
export function linesOf(text: string, line: number | undefined, limit: number | undefined): string {
  if (line === undefined && limit === undefined) return text;
  const from = Math.max(0, (line ?? 1) - 1);
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  return lines.slice(from, limit === undefined ? undefined : from + limit).join('');
}

function within(worktree: string, params: Json, act: (file: string) => Reply): Reply {
  const path = textAt(params, 'path') ?? '';
  if (!isAbsolute(path)) return refused(`The path "${path}" is not absolute.`);
  try {
    const root = realpathSync(worktree);
    const file = realPath(path);
    const inside = relative(root, file);
    if (inside === '' || inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) {
      return refused(`${path} is not in the worktree ${root}.`);
    }
    // In a worktree, `.git` is the file that points to its git folder.
    if (inside === '.git' || inside.startsWith(`.git${sep}`)) {
      return refused(`${path} belongs to git.`);
    }
    // Reading a pipe or a device could block forever.
    if (statSync(file, { throwIfNoEntry: false })?.isFile() === false) {
      return refused(`${path} is not a file.`);
    }
    return act(file);
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error)) throw error;
    const code = error.code === 'ENOENT' ? notFound : internalError;
    return { error: { code, message: error.message } };
  }
}

/** Resolves links in a path; the missing part of the path stays as it is. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    const parent = dirname(path);
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    // A write would follow a dangling link to anywhere.
    const isLink = lstatSync(path, { throwIfNoEntry: false }) !== undefined;
    if (!isMissing || isLink || parent === path) throw error;
    return join(realPath(parent), basename(path));
  }
}

function refused(message: string): Reply {
  return { error: { code: invalidParams, message } };
}

export interface ConversationOptions {
  readonly cwd: string;
  /** Method of `authenticate`; absent if the agent needs none. */
  readonly auth?: string;
  readonly session?: string;
  readonly model?: string;
  readonly reasoning?: string;
  /**
   * `write`: the agent may write files through us, inside the worktree only. `read`: writes and permissions for
   * anything but reading are refused.
   */
  readonly files: 'none' | 'read' | 'write';
}

/** An error to report, or the agent has exited. */
type NoAnswer = ClientError | 'gone';

export type EndEvent = Extract<ClientEvent, { readonly type: 'end' }>;

/** The only supported protocol version. */
const protocolVersion = 1;

/**
 * One turn with an agent over the Agent Client Protocol. It answers the agent's requests and prints events; the caller
 * handles processes, signals and time limits.
 */
export class Conversation implements RequestHandler {
  readonly #wishes: ConversationOptions;
  readonly #print: (event: ClientEvent) => void;
  #session: string | undefined;
  /** False while the agent replays the history. */
  #isOurTurn = false;
  #heardAt = 0;
  #broken: string | undefined;

  constructor(wishes: ConversationOptions, print: (event: ClientEvent) => void) {
    this.#wishes = wishes;
    this.#print = print;
  }

  request(method: string, params: Json): Reply {
    const { cwd, files } = this.#wishes;
    if (method === 'session/request_permission') return this.#permit(params);
    if (files !== 'none' && method === 'fs/read_text_file')
      return this.#noted(method, readTextFile(cwd, params));
    if (files !== 'none' && method === 'fs/write_text_file') {
      return this.#noted(method, files === 'write' ? writeTextFile(cwd, params) : writeRefused);
    }
    const message = `Method not found: ${method.slice(0, bounds.titleChars)}`;
    return this.#noted(method, { error: { code: methodNotFound, message } });
  }

  notification(method: string, params: Json): void {
    this.#heardAt = performance.now();
    const isOurs = this.#session !== undefined && textAt(params, 'sessionId') === this.#session;
    const update = objectAt(params, 'update');
    if (method !== 'session/update' || !isOurs || update === undefined) {
      this.#print({ type: 'other', what: method.slice(0, bounds.titleChars) });
      return;
    }
    for (const event of eventsOf(update, !this.#isOurTurn)) this.#print(event);
  }

  unreadableLine(): void {
    this.#print({ type: 'other', what: 'noise' });
  }

  /** Marks the dialogue as unreadable; pending requests fail with this cause. */
  markBroken(cause: string): void {
    this.#broken ??= cause;
  }

  /** Sends `initialize` and checks the protocol version. */
  async initialize(peer: Peer): Promise<Result<Sessions, NoAnswer>> {
    const { files } = this.#wishes;
    const answer = await this.#ask(peer, 'initialize', {
      protocolVersion,
      // Reading is served but not offered: some agents end their tool call on the error for a missing file and never
      // create the file.
      clientCapabilities: {
        fs: { readTextFile: false, writeTextFile: files !== 'none' },
        terminal: false,
      },
      clientInfo: { name: 'yardmaster', version: '0' },
    });
    if (!answer.ok) return answer;
    const { protocolVersion: spoken } = answer.value;
    if (spoken !== protocolVersion) {
      const message = `The agent speaks version ${String(spoken)} of the protocol, not ${protocolVersion}.`;
      return fail({ type: 'error', reason: 'protocol', message });
    }
    const can = objectAt(answer.value, 'agentCapabilities');
    // Resuming replays nothing; loading replays the whole conversation.
    const resumes = objectAt(objectAt(can, 'sessionCapabilities'), 'resume') !== undefined;
    const sessions = resumes ? 'resume' : can?.loadSession === true ? 'load' : 'none';
    const info = objectAt(answer.value, 'agentInfo');
    const identity = { name: textAt(info, 'name'), version: textAt(info, 'version') };
    this.#print({ type: 'agent', ...identity, sessions });
    return ok(sessions);
  }

  /** Signs in if needed, starts or resumes a conversation, then sets model and reasoning. */
  async open(peer: Peer): Promise<Result<void, NoAnswer>> {
    const greeted = await this.initialize(peer);
    if (!greeted.ok) return greeted;
    const { auth: methodId } = this.#wishes;
    if (methodId !== undefined) {
      const admitted = await this.#ask(peer, 'authenticate', { methodId });
      if (!admitted.ok) return admitted;
    }
    const opened = await this.#enterSession(peer, greeted.value);
    if (!opened.ok) return opened;
    const model = currentModel(opened.value);
    if (model !== undefined) this.#print({ type: 'model', id: model });
    return this.#setUp(peer, opened.value, model);
  }

  /** Sends a prompt and waits until the agent stops. */
  async prompt(peer: Peer, text: string): Promise<Result<EndEvent, NoAnswer>> {
    this.#isOurTurn = true;
    const answer = await this.#ask(peer, 'session/prompt', {
      sessionId: this.#session,
      prompt: [{ type: 'text', text }],
    });
    if (!answer.ok) return answer;
    const reported = turnUsage(answer.value);
    if (reported !== undefined) this.#print({ type: 'usage', scope: 'turn', ...reported });
    const stopReason = textAt(answer.value, 'stopReason');
    if (stopReason === undefined) {
      return fail({
        type: 'error',
        reason: 'broken',
        message: 'The response to the prompt has no stop reason.',
      });
    }
    return ok({ type: 'end', stopReason });
  }

  /** Asks the agent to stop. The pending prompt still gets an answer. */
  cancel(peer: Peer): void {
    if (this.#session !== undefined) peer.notify('session/cancel', { sessionId: this.#session });
  }

  async #enterSession(peer: Peer, sessions: Sessions): Promise<Result<Json, NoAnswer>> {
    const { cwd, session } = this.#wishes;
    if (session === undefined) {
      const begun = await this.#ask(peer, 'session/new', { cwd, mcpServers: [] });
      if (!begun.ok) return begun;
      const id = textAt(begun.value, 'sessionId');
      if (id === undefined) {
        const message = 'The response to session/new has no session id.';
        return fail({ type: 'error', reason: 'broken', message });
      }
      this.#session = id;
      this.#print({ type: 'session', id, resumed: false });
      return begun;
    }
    if (sessions === 'none') {
      const message = 'The agent cannot resume a conversation.';
      return fail({ type: 'error', reason: 'not-resumable', message });
    }
    this.#session = session;
    const params = { sessionId: session, cwd, mcpServers: [] };
    const found = await this.#ask(peer, `session/${sessions}`, params);
    if (!found.ok) return found;
    this.#print({ type: 'session', id: session, resumed: true });
    if (sessions === 'load') await this.#waitForReplay();
    return found;
  }

  /**
   * A loaded conversation is replayed from its beginning, and some agents continue the replay after their answer. An
   * old signal could end the task, so the prompt waits until the replay is quiet.
   */
  async #waitForReplay(): Promise<void> {
    const end = performance.now() + bounds.replayMs;
    this.#heardAt = performance.now();
    for (;;) {
      const quiet = performance.now() - this.#heardAt;
      if (quiet >= bounds.replayQuietMs || performance.now() >= end) return;
      await delay(bounds.replayQuietMs - quiet);
    }
  }

  async #setUp(peer: Peer, session: Json, current?: string): Promise<Result<void, NoAnswer>> {
    const { model, reasoning } = this.#wishes;
    let state = session;
    if (model !== undefined) {
      const choice = modelChoice(state, model);
      if (choice === undefined)
        this.#note(`The agent has no model setting; "${model}" is not set.`);
      else if (choice.value !== current) {
        const set = await this.#choose(peer, choice);
        if (!set.ok) return set;
        this.#print({ type: 'model', id: choice.value });
        // The reasoning levels may depend on the model.
        state = { ...state, ...set.value };
      }
    }
    if (reasoning === undefined) return ok(undefined);
    const choice = reasoningChoice(state, reasoning);
    if (choice === undefined) {
      this.#note(`The agent has no reasoning level "${reasoning}"; it is not set.`);
      return ok(undefined);
    }
    const set = await this.#choose(peer, choice);
    return set.ok ? ok(undefined) : set;
  }

  #choose(peer: Peer, { method, params }: Choice): Promise<Result<Json, NoAnswer>> {
    return this.#ask(peer, method, { sessionId: this.#session, ...params });
  }

  async #ask(peer: Peer, method: string, params: Json): Promise<Result<Json, NoAnswer>> {
    const answer = await peer.request(method, params);
    if (answer.id === 'result') return ok(answer.result);
    if (answer.id === 'error') return fail(errorEvent(method, answer.error));
    if (this.#broken === undefined) return fail('gone');
    return fail({ type: 'error', reason: 'broken', message: this.#broken, method });
  }

  #permit(params: Json): Reply {
    const { tool, allowed, outcome } = answerPermission(params, this.#wishes.files === 'read');
    const call = objectAt(params, 'toolCall');
    if (this.#isOurTurn && call !== undefined) this.#print(toolOf(call));
    this.#print({ type: 'permission', tool, allowed });
    return { result: { outcome } };
  }

  #noted(method: string, reply: Reply): Reply {
    if ('error' in reply) {
      this.#print({
        type: 'refused',
        method: method.slice(0, bounds.titleChars),
        cause: reply.error.message.slice(0, bounds.messageChars),
      });
    } else this.#print({ type: 'other', what: method });
    return reply;
  }

  #note(text: string): void {
    this.#print({ type: 'note', text });
  }
}

const writeRefused: Reply = {
  error: { code: invalidParams, message: 'This is a read-only review: writing is refused.' },
};

function errorEvent(method: string, { code, message, data }: RpcError): ClientError {
  const text = data === undefined ? undefined : JSON.stringify(data);
  const kept =
    text === undefined || text.length <= bounds.dataChars ? data : text.slice(0, bounds.dataChars);
  return {
    type: 'error',
    reason: 'answer',
    message: message.slice(0, bounds.messageChars),
    method,
    code,
    data: kept,
  };
}

interface PermissionAnswer {
  /** The agent's name of the tool. */
  readonly tool: string;
  readonly allowed: boolean;
  readonly outcome: Json;
}

/** `allow_once` first, because an agent may store a permanent permission in a file of the user. */
const allowKinds = ['allow_once', 'allow_always'];
const rejectKinds = ['reject_once', 'reject_always'];

/** Tool kinds that change nothing. */
const readOnlyKinds = new Set(['read', 'search', 'fetch', 'think']);

/**
 * Answers a permission request. There is no user to ask, so everything is allowed that the agent offers to allow; for
 * `readOnly`, only reading.
 */
export function answerPermission(params: Json, readOnly = false): PermissionAnswer {
  const options = listAt(params, 'options');
  const idOf = (kind: string): string | undefined =>
    textAt(
      options.find((option) => option.kind === kind),
      'optionId',
    );
  const pick = (kinds: readonly string[]): string | undefined =>
    kinds.map(idOf).find((id) => id !== undefined);
  const call = objectAt(params, 'toolCall');
  const isHarmless = readOnlyKinds.has(textAt(call, 'kind') ?? '');
  const allow = readOnly && !isHarmless ? undefined : pick(allowKinds);
  const optionId = allow ?? pick(rejectKinds);
  const tool =
    textAt(call, 'name') ?? textAt(call, 'title') ?? textAt(call, 'kind') ?? 'unnamed tool';
  return {
    tool: tool.slice(0, bounds.titleChars),
    allowed: allow !== undefined,
    outcome: optionId === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId },
  };
}
