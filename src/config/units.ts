const milliseconds = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const bytes = { B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 } as const;

/** `90s`, `1h30m`, `500ms`: larger units first, each at most once. Milliseconds, or none if it is not a duration. */
export function parseDuration(text: string): number | undefined {
  const parts = /^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+)s)?(?:(\d+)ms)?$/.exec(text.trim());
  if (parts === null || parts[0] === '') return undefined;
  const [, d, h, m, s, ms] = parts.map((part) => Number(part ?? 0));
  return (
    (d ?? 0) * milliseconds.d +
    (h ?? 0) * milliseconds.h +
    (m ?? 0) * milliseconds.m +
    (s ?? 0) * milliseconds.s +
    (ms ?? 0)
  );
}

export function formatDuration(ms: number): string {
  if (ms === 0) return 'off';
  let left = ms;
  let text = '';
  for (const unit of ['d', 'h', 'm', 's', 'ms'] as const) {
    const count = Math.floor(left / milliseconds[unit]);
    if (count > 0) text += `${count}${unit}`;
    left -= count * milliseconds[unit];
  }
  return text;
}

/** `64MB`, `1GB`, `4096B`; a step from one unit to the next is 1024. Bytes, or none if it is not a size. */
export function parseSize(text: string): number | undefined {
  const parts = /^(\d+)\s*(B|KB|MB|GB)$/i.exec(text.trim());
  if (parts === null) return undefined;
  const unit = (parts[2] ?? '').toUpperCase() as keyof typeof bytes;
  return Number(parts[1]) * bytes[unit];
}

export function formatSize(size: number): string {
  const unit = (['GB', 'MB', 'KB'] as const).find((name) => size > 0 && size % bytes[name] === 0);
  return unit === undefined ? `${size}B` : `${size / bytes[unit]}${unit}`;
}

const thousands = { '': 1, k: 1_000, m: 1_000_000, g: 1_000_000_000 } as const;

/** `2M`, `500k`, `1.5M`, `40000`: a count of tokens, or none if it is not one. */
export function parseTokens(text: string): number | undefined {
  const parts = /^(\d+(?:\.\d+)?)\s*([kmg]?)$/i.exec(text.trim());
  if (parts === null) return undefined;
  const unit = (parts[2] ?? '').toLowerCase() as keyof typeof thousands;
  const count = Number(parts[1]) * thousands[unit];
  // What is left of a fraction after its unit is a slip, but for what floating point makes of 1.1M.
  const whole = Math.round(count);
  return Math.abs(count - whole) < 1e-3 ? whole : undefined;
}

/** `20USD`, `$20`, `0.50`: US dollars, or none if it is not an amount of them. */
export function parseMoney(text: string): number | undefined {
  const trimmed = text.trim();
  const parts =
    /^\$\s*(\d+(?:\.\d+)?)$/.exec(trimmed) ?? /^(\d+(?:\.\d+)?)\s*(?:USD)?$/i.exec(trimmed);
  return parts === null ? undefined : Number(parts[1]);
}
