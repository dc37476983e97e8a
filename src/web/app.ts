import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { Hono } from 'hono';
import { byPerson, type Caller } from '../app/lookup.ts';
import { viewAt } from '../app/moment.ts';
import type { Project } from '../app/ports.ts';
import { reportOn } from '../app/report.ts';
import { type Failure, fail, ok, type Result, usage } from '../model/failure.ts';
import { Misfit, parseJson, read } from '../model/shape.ts';
import { internal, settled } from '../model/trouble.ts';
import { explain } from '../report/explain/explain.ts';
import { sentencesOf } from '../report/explain/sentences.ts';
import { reportHtml } from '../report/html/run-report.ts';
import { prometheusText, prometheusType } from '../report/metrics/prometheus.ts';
import {
  type Access,
  answerHeaders,
  isToken,
  type Refusal,
  refusalOf,
  reportHeaders,
  sessionCookie,
  strangerRefusal,
} from './access.ts';
import { Action } from './action.ts';
import { act, type StartProgram } from './actions.ts';
import type { Client } from './events.ts';
import { numbersIn, offsetIn, type Query } from './query.ts';
import { type Past, pastView, projectReads, type Question, taskReads } from './reads.ts';
import type { Reading, Source } from './source.ts';
import type { Channel } from './stream.ts';
import type { Tails } from './tails.ts';
import type { Logs } from './tasks.ts';
import { jsonText } from './view-text.ts';

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
};

interface Asset {
  readonly changedAt: number;
  readonly etag: string;
  readonly type: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly zipped: Uint8Array<ArrayBuffer>;
}

/**
 * Files of the page. Only names that the folder lists are served, so no path leads out of it. Other paths are views of
 * the page, which its script reads from the address.
 */
class Assets {
  readonly #dir: string;
  readonly #known = new Map<string, Asset>();

  constructor(dir: string) {
    this.#dir = dir;
  }

  answer(path: string, header: (name: string) => string | undefined): Response {
    const names = existsSync(this.#dir) ? readdirSync(this.#dir) : [];
    const wanted = path.slice(1);
    const name = names.includes(wanted) ? wanted : extname(path) === '' ? 'index.html' : undefined;
    if (name === undefined || !names.includes(name)) return missing(names.length === 0);
    const asset = this.#read(name);
    const headers = {
      ...answerHeaders,
      'cache-control': 'no-cache',
      'content-type': asset.type,
      etag: asset.etag,
      vary: 'accept-encoding',
    };
    if (header('if-none-match') === asset.etag) return new Response(null, { status: 304, headers });
    const isZipped = /\bgzip\b/.test(header('accept-encoding') ?? '');
    if (!isZipped) return new Response(asset.bytes, { headers });
    return new Response(asset.zipped, { headers: { ...headers, 'content-encoding': 'gzip' } });
  }

  #read(name: string): Asset {
    const file = join(this.#dir, name);
    const { mtimeMs: changedAt } = statSync(file);
    const known = this.#known.get(name);
    if (known?.changedAt === changedAt) return known;
    const bytes = new Uint8Array(readFileSync(file));
    const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
    const type = types[extname(name)] ?? 'application/octet-stream';
    const zipped = new Uint8Array(gzipSync(bytes));
    const asset = { changedAt, etag: `"${hash}"`, type, bytes, zipped };
    this.#known.set(name, asset);
    return asset;
  }
}

function missing(isUnbuilt: boolean): Response {
  const text = isUnbuilt
    ? 'This build of ym has no web page. Install ym again, or run `npm run build` in its folder.\n'
    : 'There is nothing at this address.\n';
  const headers = { ...answerHeaders, 'content-type': 'text/plain; charset=utf-8' };
  return new Response(text, { status: 404, headers });
}

/** The two ports of a connection, as the server sees them. */
export interface Connection {
  readonly localPort: number;
  readonly remotePort: number;
}

/** A project to serve, and how its world is reached. */
export interface Served {
  readonly project: Project;
  /** The server and the process at the other end of a connection, as far as they are known. */
  callers(connection: Connection): readonly Caller[];
  /** Starts `ym` in the project. */
  readonly start: StartProgram;
}

export interface SiteOptions extends Access {
  readonly page: string;
  readonly version: string;
}

/** A project with everything that is kept for its pages. */
export interface Site extends Served {
  readonly source: Source;
  readonly channel: Channel;
  readonly tails: Tails;
  readonly logs: Logs;
}

type Bindings = { Bindings: { readonly incoming: IncomingMessage } };

export function appOf(options: SiteOptions, sites: readonly Site[]): Hono<Bindings> {
  const app = new Hono<Bindings>();
  const assets = new Assets(options.page);
  app.use(async ({ req }, next) => {
    const { path, method } = req;
    const asked = { path, method, header: (name: string) => req.header(name) };
    const refusal = refusalOf(asked, options);
    if (refusal !== undefined) return refused(refusal);
    const stranger = isData(path) ? strangerRefusal(asked, options) : undefined;
    if (stranger !== undefined) return refused(stranger);
    await next();
    return undefined;
  });
  app.post(actionsPath, async ({ req, env }) => {
    const site = siteOf(sites, req.query('project'));
    return site.ok ? carryOut(site.value, req.raw, env.incoming) : answered(site);
  });
  app.get('/api/projects', async () => json(jsonText(await projectList(options, sites))));
  addStreams(app, sites);
  addTexts(app, sites);
  addReads(app, sites);
  app.get('*', ({ req }) => {
    const token = req.path === '/' ? req.query('token') : undefined;
    if (token !== undefined) return entrance(token, options);
    if (req.path === actionsPath) return refused(wrongMethod(req.method), { allow: 'POST' });
    return isData(req.path)
      ? refused(unknownPath(req.path))
      : assets.answer(req.path, (name) => req.header(name));
  });
  app.all('*', ({ req }) => {
    const allow = req.path === actionsPath ? 'POST' : 'GET, HEAD';
    return refused(wrongMethod(req.method), { allow });
  });
  app.onError((error) => answered(fail(internal(error))));
  return app;
}

const actionsPath = '/api/actions';

const isData = (path: string): boolean => path.startsWith('/api/') || path === '/metrics';

/** Outputs that one connection may follow. */
const tailsMax = 64;

function addStreams(app: Hono<Bindings>, sites: readonly Site[]): void {
  app.get('/api/view', async ({ req }) => {
    const site = siteOf(sites, req.query('project'));
    if (!site.ok) return answered(site);
    if (req.query('at') !== undefined) return asking(sites, (name) => req.query(name), pastView);
    const whole = await site.value.channel.whole();
    return typeof whole === 'string' ? json(whole) : answered(fail(whole));
  });
  app.get('/api/stream', async ({ req }) => {
    const site = siteOf(sites, req.query('project'));
    if (!site.ok) return answered(site);
    return streamed(await site.value.channel.join(req.header('last-event-id')));
  });
  app.get('/api/tails', ({ req }) => {
    const site = siteOf(sites, req.query('project'));
    if (!site.ok) return answered(site);
    return streamed(site.value.tails.join((req.queries('tail') ?? []).slice(0, tailsMax)));
  });
}

/** Answers that are no JSON. */
function addTexts(app: Hono<Bindings>, sites: readonly Site[]): void {
  const reading = async (project: string | undefined): Promise<Result<Reading>> => {
    const site = siteOf(sites, project);
    return site.ok ? site.value.source.refresh() : site;
  };
  app.get('/metrics', async ({ req }) => {
    const news = await reading(req.query('project'));
    if (!news.ok) return answered(news);
    const headers = { ...answerHeaders, 'content-type': prometheusType };
    return new Response(prometheusText(news.value.view()), { headers });
  });
  app.get('/api/report', async ({ req }) => {
    const news = await reading(req.query('project'));
    if (!news.ok) return answered(news);
    const offset = offsetIn((name) => req.query(name));
    if (!offset.ok) return answered(offset);
    const options = { offsetMin: offset.value, onAttempt: () => undefined };
    const report = await settled(reportOn(news.value.opened, req.query('run'), options));
    if (!report.ok) return answered(report);
    return new Response(reportHtml(report.value), { headers: reportHeaders });
  });
}

function addReads(app: Hono<Bindings>, sites: readonly Site[]): void {
  for (const [path, answer] of Object.entries(projectReads)) {
    app.get(path, ({ req }) => asking(sites, (name) => req.query(name), answer));
  }
  for (const [part, answer] of Object.entries(taskReads)) {
    const path = `/api/tasks/:id${part === '' ? '' : `/${part}`}`;
    app.get(path, ({ req }) => {
      const id = req.param('id') ?? '';
      return asking(
        sites,
        (name) => req.query(name),
        (question) => answer(question, id),
      );
    });
  }
}

/** Answers a request with the records as they are now. */
async function asking(
  sites: readonly Site[],
  query: Query,
  answer: (question: Question) => Promise<Result<object>>,
): Promise<Response> {
  const site = siteOf(sites, query('project'));
  if (!site.ok) return answered(site);
  const { source, logs } = site.value;
  const news = await source.refresh();
  if (!news.ok) return answered(news);
  const past = await pastIn(query, news.value);
  if (!past.ok) return answered(past);
  return answered(await answer({ ...news.value, query, logs, past: past.value }));
}

/** The moment that `?at=SEQ` names. */
async function pastIn(query: Query, { opened }: Reading): Promise<Result<Past | undefined>> {
  const at = numbersIn(query, 'at');
  if (!at.ok || at.value.at === undefined) return at.ok ? ok(undefined) : at;
  return viewAt(opened, at.value.at, query('run'));
}

function siteOf(sites: readonly Site[], id: string | undefined): Result<Site> {
  const found = id === undefined ? sites[0] : sites.find(({ project }) => project.id === id);
  if (found !== undefined) return ok(found);
  return usage(`this server has no project "${id}"`, 'Choose one of `/api/projects`.');
}

function streamed({ body }: Client): Response {
  const headers = { ...answerHeaders, 'content-type': 'text/event-stream; charset=utf-8' };
  return new Response(body, { headers: { ...headers, 'x-accel-buffering': 'no' } });
}

async function projectList(options: SiteOptions, sites: readonly Site[]): Promise<object> {
  const projects: object[] = [];
  for (const { source } of sites) {
    const { id, root } = source.project;
    const facts = { id, name: source.name, root };
    const news = await source.refresh();
    if (news.ok) {
      const { run, counts, stopped, preparing, needsYou, spend, paused, pausedSteps } =
        news.value.view();
      const needs = { needsYou, paused, pausedSteps };
      const { seq } = news.value.follower;
      const phases = { stopped, preparing };
      projects.push({ ...facts, state: 'read', seq, run, counts, ...phases, spend, ...needs });
    } else projects.push({ ...facts, state: 'missing', error: sentencesOf(news.failure) });
  }
  return { projects, version: options.version };
}

/** Exchanges the token of the printed address for a cookie, and removes it from the address. */
function entrance(token: string, options: SiteOptions): Response {
  const headers = { ...answerHeaders, location: '/' };
  if (!isToken(token, options)) return new Response(null, { status: 303, headers });
  return new Response(null, {
    status: 303,
    headers: { ...headers, 'set-cookie': sessionCookie(options) },
  });
}

const bodyBytes = 1024 * 1024;

async function carryOut(
  { source, callers, start }: Site,
  request: Request,
  { socket }: IncomingMessage,
): Promise<Response> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/json(?:;|$)/i.test(type)) return refused(wrongType(type));
  const text = await bodyOf(request);
  if (text === undefined) return refused(tooLarge);
  const action = read(Action, parseJson(text));
  if (action instanceof Misfit) {
    return answered(usage(`the action ${action}`, 'See `docs/programs.md` for the actions.'));
  }
  const { localPort = 0, remotePort = 0 } = socket;
  for (const caller of callers({ localPort, remotePort })) {
    const allowed = byPerson(caller, 'ui');
    if (!allowed.ok) return answered(allowed);
  }
  return answered(
    await source.writing<object, Failure | readonly Failure[]>((opened) =>
      act(opened, action, start),
    ),
  );
}

/** Undefined if the body is too large. It is read no further than that. */
async function bodyOf(request: Request): Promise<string | undefined> {
  if (Number(request.headers.get('content-length') ?? 0) > bodyBytes) return undefined;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.length;
    if (size > bodyBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const seeDocs = 'See `docs/programs.md` for the API.';

const tooLarge: Refusal = {
  status: 413,
  kind: 'too-large',
  what: `The request is larger than ${bodyBytes} bytes.`,
  why: '',
  do: 'Send less at once.',
};

function wrongType(type: string): Refusal {
  const what = `A body of type "${type}" is not read.`;
  return { status: 415, kind: 'wrong-type', what, why: '', do: 'Send application/json.' };
}

function wrongMethod(method: string): Refusal {
  const what = `${method} is not possible here.`;
  return { status: 405, kind: 'wrong-method', what, why: '', do: seeDocs };
}

function unknownPath(path: string): Refusal {
  const what = `There is nothing at ${path}.`;
  return { status: 404, kind: 'unknown-path', what, why: '', do: seeDocs };
}

/** The HTTP status of a failure: 4xx if the request can be put right. */
function statusOf(failure: Failure | readonly Failure[]): Refusal['status'] {
  const first = 'kind' in failure ? failure : failure[0];
  if (first === undefined) return 500;
  if (first.kind === 'unknown-task' || first.kind === 'unknown-run') return 404;
  if (first.kind === 'task-busy') return 409;
  const { exit } = explain(first);
  if (exit === 2) return 422;
  return exit === 70 ? 500 : 503;
}

function json(text: string, status = 200): Response {
  return new Response(text, {
    status,
    headers: { ...answerHeaders, 'content-type': 'application/json; charset=utf-8' },
  });
}

function refused({ status, ...error }: Refusal, headers = {}): Response {
  const answer = json(jsonText({ error }), status);
  for (const [name, value] of Object.entries(headers)) answer.headers.set(name, String(value));
  return answer;
}

/** The value as JSON, or why there is none. */
function answered(result: Result<unknown, Failure | readonly Failure[]>): Response {
  if (result.ok) return json(jsonText(result.value));
  return refused({ status: statusOf(result.failure), ...sentencesOf(result.failure) });
}
