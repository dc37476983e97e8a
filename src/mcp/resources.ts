import { type McpServer, ResourceTemplate, type ServerContext } from '@modelcontextprotocol/server';
import type { Result, Yard } from '../library/yard.ts';
import { withIsoTimes } from '../report/format/time.ts';
import type { Session } from './session.ts';
import { clientOf } from './tool.ts';

type Read<T> = (yard: Yard) => Promise<Result<T>>;

/** Tasks and runs as resources. */
export function addResources(server: McpServer, session: Session): void {
  const reading = async <T>(context: ServerContext, read: Read<T>): Promise<T> => {
    const yard = await session.yardOf(clientOf(server, context));
    const found = yard.ok ? await read(yard.value) : yard;
    // The protocol has no other way to refuse a resource.
    if (!found.ok) throw new Error([found.failure.what, found.failure.do].join(' '));
    return found.value;
  };
  const contents = (uri: URL, value: unknown) => ({
    contents: [
      { uri: uri.href, mimeType: 'application/json', text: JSON.stringify(value, withIsoTimes) },
    ],
  });
  const json = (description: string) => ({ description, mimeType: 'application/json' });
  server.registerResource(
    'tasks',
    'yard://tasks',
    json('All tasks with states and dependencies'),
    async (uri, context) => contents(uri, await reading(context, (yard) => yard.graph())),
  );
  server.registerResource(
    'runs',
    'yard://runs',
    json('All runs, newest first'),
    async (uri, context) => contents(uri, await reading(context, (yard) => yard.runs())),
  );
  const tasks = new ResourceTemplate('yard://tasks/{id}', {
    list: async (context) => {
      const { nodes } = await reading(context, (yard) => yard.graph());
      const resources = nodes.map(({ id, title }) => ({
        uri: `yard://tasks/${id}`,
        name: id,
        title,
      }));
      return { resources };
    },
  });
  server.registerResource(
    'task',
    tasks,
    json('One task with its history'),
    async (uri, { id }, context) =>
      contents(uri, await reading(context, (yard) => yard.why(String(id)))),
  );
  const runs = new ResourceTemplate('yard://runs/{id}', {
    list: async (context) => {
      const known = await reading(context, (yard) => yard.runs());
      return { resources: known.map(({ id }) => ({ uri: `yard://runs/${id}`, name: id })) };
    },
  });
  server.registerResource('run', runs, json('Summary of one run'), async (uri, { id }, context) =>
    contents(uri, await reading(context, (yard) => yard.summary(String(id)))),
  );
}
