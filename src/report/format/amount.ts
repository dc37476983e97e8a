/** `1,234,567` */
export function amount(value: number): string {
  const whole = String(Math.round(Number.isFinite(value) ? value : 0));
  return whole.replace(/\B(?=(\d{3})+$)/g, ',');
}

/** `950`, `12.3k`, `1.2M` */
export function shortAmount(value: number): string {
  for (const [unit, sign] of units) {
    if (value >= unit * 0.9995)
      return `${(value / unit).toFixed(value < unit * 99.95 ? 1 : 0)}${sign}`;
  }
  return amount(value);
}

const units: readonly (readonly [number, string])[] = [
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
];

/** `$1,234.50`; `<$0.01` for less than half a cent. */
export function dollars(value: number): string {
  if (value > 0 && value < 0.005) return '<$0.01';
  const [whole = '0', cents = '00'] = Math.max(0, value).toFixed(2).split('.');
  return `$${amount(Number(whole))}.${cents}`;
}

/** `5 GiB`, `12 MiB`, `600 KiB`, rounded down. */
export function binarySize(bytes: number): string {
  const [unit, sign] = sizes.find(([unit]) => bytes >= unit) ?? [2 ** 10, 'KiB'];
  return `${Math.floor(bytes / unit)} ${sign}`;
}

const sizes: readonly (readonly [number, string])[] = [
  [2 ** 30, 'GiB'],
  [2 ** 20, 'MiB'],
];

/** `1 file`, `2 files`, `1 branch`, `2 branches` */
export function counted(number: number, noun: string, plural = `${noun}s`): string {
  return `${number} ${number === 1 ? noun : plural}`;
}
