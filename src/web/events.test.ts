import { expect, it } from 'vitest';
import { Client, messageBytes } from './events.ts';

const megabyte = 'x'.repeat(1024 * 1024);

it('drops a client that does not read, and only that', async () => {
  const ended: Client[] = [];
  const [slow, quick] = [
    new Client((one) => ended.push(one)),
    new Client((one) => ended.push(one)),
  ];
  const reader = quick.body.getReader();
  for (let at = 0; at < 8; at += 1) {
    const bytes = messageBytes('change', megabyte);
    slow.send(bytes);
    quick.send(bytes);
    await reader.read();
  }
  expect(ended).toEqual([slow]);
  slow.send(messageBytes('change', '{}'));
  quick.close();
  expect(ended).toEqual([slow, quick]);
});

it('lets one message of any size wait', () => {
  let hasEnded = false;
  const client = new Client(() => {
    hasEnded = true;
  });
  client.send(messageBytes('view', megabyte.repeat(6)));
  expect(hasEnded).toBe(false);
});

it('ends a client that the browser closes', async () => {
  let ends = 0;
  const client = new Client(() => {
    ends += 1;
  });
  await client.body.cancel();
  client.close();
  expect(ends).toBe(1);
});

it('names the event and its id', () => {
  const text = new TextDecoder().decode(messageBytes('view', '{}', 'a.1.2'));
  expect(text).toBe('id: a.1.2\nevent: view\ndata: {}\n\n');
});
