const milliseconds = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

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
