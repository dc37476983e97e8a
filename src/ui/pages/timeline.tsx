import type { JSX } from 'preact';
import { Empty } from '../parts/panel.tsx';

export function TimelinePage(): JSX.Element {
  return <Empty>Loading…</Empty>;
}
