/** A host that a sandbox lets its child reach. */
export interface HostRule {
  /** Lower case, without brackets. */
  readonly name: string;
  /** True for `*.name`, which means every host below `name` and not `name` itself. */
  readonly below: boolean;
  readonly port: number;
}

const form = /^(\*\.)?([a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/;

/** Reads `host`, `*.host` or either with `:port`; the default port is 443. Undefined for anything else. */
export function hostRule(text: string): HostRule | undefined {
  const [, star, host, port = '443'] = form.exec(text.toLowerCase()) ?? [];
  if (host === undefined || Number(port) < 1 || Number(port) > 65_535) return undefined;
  return { name: hostName(host), below: star !== undefined, port: Number(port) };
}

/** One spelling for each host: `EXAMPLE.com.` is `example.com`, and `[::1]` is `::1`. */
export function hostName(text: string): string {
  return text
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '');
}

export function isListed(rules: readonly HostRule[], host: string, port: number): boolean {
  const name = hostName(host);
  return rules.some(
    (rule) =>
      rule.port === port && (rule.below ? name.endsWith(`.${rule.name}`) : name === rule.name),
  );
}
