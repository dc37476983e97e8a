import { describe, expect, it } from 'vitest';
import { hostRule, isListed } from './host-rule.ts';

describe('a rule for hosts', () => {
  it.each([
    ['API.example.com', { name: 'api.example.com', below: false, port: 443 }],
    ['*.example.com:8443', { name: 'example.com', below: true, port: 8443 }],
    ['localhost:80', { name: 'localhost', below: false, port: 80 }],
    ['127.0.0.1', { name: '127.0.0.1', below: false, port: 443 }],
    ['[::1]:8080', { name: '::1', below: false, port: 8080 }],
  ])('reads %s', (text, rule) => {
    expect(hostRule(text)).toEqual(rule);
  });

  it.each(['', '*', '*.', 'https://example.com', 'example.com/', 'a..b', 'a:0', 'a:70000', '::1'])(
    'refuses "%s"',
    (text) => {
      expect(hostRule(text)).toBeUndefined();
    },
  );

  const rules = ['example.com', '*.example.org:8443', '[::1]'].flatMap(
    (text) => hostRule(text) ?? [],
  );
  it.each([
    ['example.com', 443, true],
    ['EXAMPLE.com.', 443, true],
    ['example.com', 80, false],
    ['api.example.com', 443, false],
    ['notexample.com', 443, false],
    ['a.b.example.org', 8443, true],
    ['example.org', 8443, false],
    ['notexample.org', 8443, false],
    ['[::1]', 443, true],
  ])('lists %s:%s: %s', (host, port, expected) => {
    expect(isListed(rules, host, port)).toBe(expected);
  });
});
