import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { type Block, offsetOf, visibleRows } from '../window.ts';

interface VirtualProps {
  readonly label: string;
  readonly rows: number;
  readonly rowHeight: number;
  readonly row: (index: number) => ComponentChildren;
  /** Blocks of their own height below some rows, sorted. */
  readonly blocks?: readonly Block[];
  readonly block?: (row: number) => ComponentChildren;
  /** A row to show, once for each new object. */
  readonly target?: { readonly row: number };
  readonly kind?: string;
}

const noBlocks: readonly Block[] = [];

/** A long list that draws only the rows that are seen. */
export function Virtual(props: VirtualProps): JSX.Element {
  const { label, rows, rowHeight, row, blocks = noBlocks, block, target, kind = '' } = props;
  const box = useRef<HTMLElement>(null);
  const [seen, setSeen] = useState({ top: 0, height: 800 });
  const measure = (): void => {
    const element = box.current;
    if (element === null) return;
    const { scrollTop: top, clientHeight: height } = element;
    setSeen((before) =>
      before.top === top && before.height === height ? before : { top, height },
    );
  };
  useLayoutEffect(measure, []);
  useEffect(() => {
    const observer = new ResizeObserver(measure);
    if (box.current !== null) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (target === undefined || box.current === null) return;
    box.current.scrollTop = offsetOf(target.row, rowHeight, blocks);
    measure();
  }, [target]);
  const { first, end, offset, total } = visibleRows({ rows, rowHeight, blocks, ...seen });
  const withBlock = new Set(blocks.map((one) => one.row));
  return (
    <section
      ref={box}
      class={`virtual ${kind}`}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard.
      tabIndex={0}
      onScroll={measure}
    >
      <div class="virtual-space" style={{ height: `${total}px` }}>
        <div class="virtual-rows" style={{ transform: `translateY(${offset}px)` }}>
          {Array.from({ length: end - first }, (_, at) => first + at).map((index) => (
            <div key={index}>
              {row(index)}
              {withBlock.has(index) ? block?.(index) : null}
            </div>
          ))}
        </div>
      </div>
    </section>
  );
}
