import { expect, it } from 'vitest';
import { passwordIn } from './password-file.ts';

const connection = { host: 'db.example', port: 5432, database: 'yard', user: 'ada' };

it.each([
  ['db.example:5432:yard:ada:secret', 'secret'],
  ['*:*:*:*:secret', 'secret'],
  ['# db.example:5432:yard:ada:old\n\nother:*:*:*:no\n*:*:*:ada:first\n*:*:*:*:second', 'first'],
  ['*:*:*:*:with\\:colon\\\\and:more\r\n', 'with:colon\\and:more'],
  ['#*:*:*:*:comment', undefined],
  ['db.example:5433:yard:ada:secret', undefined],
  ['db.example:5432:yard:bob:secret', undefined],
  ['db.example:5432:yard:ada:', undefined],
  ['secret', undefined],
  ['', undefined],
])('reads the password of a connection in %j', (text, password) => {
  expect(passwordIn(text, connection)).toBe(password);
});

it('takes names with colons and backslashes as they are escaped', () => {
  const odd = { ...connection, database: 'a:b', user: 'c\\d' };
  expect(passwordIn('*:*:a\\:b:c\\\\d:secret', odd)).toBe('secret');
});
