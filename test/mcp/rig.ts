// A client of the Model Context Protocol, and a server for a test project in the same process.

import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import { openYardThrough } from '../../src/library/open-yard.ts';
import { mcpServer } from '../../src/mcp/server.ts';
import { Session, type SessionOptions } from '../../src/mcp/session.ts';
import { openProject } from '../../src/wire/project.ts';
import { startProgram } from '../../src/wire/web.ts';
import { need } from '../rig/need.ts';
import type { TestProject } from '../rig.ts';

/** Answer of a tool: its structured part, or the text of a refusal. */
export type Answer = Readonly<Record<string, unknown>> & { readonly refused?: string };

export class TestClient {
  readonly client: Client;

  constructor(client: Client) {
    this.client = client;
  }

  async call(name: string, args: Readonly<Record<string, unknown>> = {}): Promise<Answer> {
    const done = await this.client.callTool({ name, arguments: { ...args } });
    const [first] = done.content;
    const text = first?.type === 'text' ? first.text : '';
    if (done.isError) return { refused: text };
    return { ...(done.structuredContent as object) };
  }

  /** Text of a resource, as data. */
  async read(uri: string): Promise<unknown> {
    const { contents } = await this.client.readResource({ uri });
    const [first] = contents;
    return JSON.parse(first !== undefined && 'text' in first ? String(first.text) : 'null');
  }
}

const client = () => new Client({ name: 'test-client', version: '1.0.0' });

const envOf = (y: TestProject): Record<string, string | undefined> => ({
  PATH: process.env.PATH,
  HOME: y.home,
  YARDMASTER_STATE_DIR: y.state,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  // Finds processes that outlive the test.
  [y.tag.split('=')[0] ?? '']: y.tag.split('=')[1],
});

/** A client that is connected to the server of a project. */
export async function connected(
  y: TestProject,
  options: Partial<Pick<SessionOptions, 'mayApprove'>> = {},
): Promise<TestClient> {
  const env = envOf(y);
  const project = need(await openProject(y.root, env));
  const session = new Session({
    open: (actor) => openYardThrough(y.root, { actor, env }, 'mcp'),
    start: (words, name) => startProgram(project, words, { actor: { name, through: 'mcp' } }),
    mayApprove: false,
    version: '1.2.3',
    ...options,
  });
  const server = mcpServer(session);
  const [one, other] = InMemoryTransport.createLinkedPair();
  const made = client();
  await Promise.all([server.connect(one as never), made.connect(other)]);
  onTestFinished(async () => {
    await made.close();
    await server.close();
    await session.close();
    await project.git.close();
    await y.untilProgramsEnd();
  });
  return new TestClient(made);
}
