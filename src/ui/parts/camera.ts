import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Layout, PlacedNode } from '../../report/graph/layout.ts';
import { type Box, type Camera, centered, drawnBox, fitted, zoomed } from '../graph-view.ts';

/** Below this scale no text can be read. */
const textScale = 0.35;
/** Time without a move after which the drawing is made sharp again. */
const restMs = 150;
/** A pointer that moves further than this drags, and does not click. */
const clickPixels = 4;
const wheelFactor = 1.0015;

type Size = Pick<DOMRect, 'width' | 'height'>;

export interface Moved {
  readonly layer: RefObject<HTMLDivElement | null>;
  /** The part of the drawing that is drawn. */
  readonly box: Box;
  readonly isFar: boolean;
  readonly move: (change: (camera: Camera, size: Size) => Camera) => void;
  /** Moves a node into the window if it is not in it. */
  readonly show: (node: PlacedNode) => void;
}

/** Moves a layer in a window by pointer and wheel. Nothing is drawn again before the window leaves what is drawn. */
export function useCamera(layout: Layout, view: RefObject<HTMLDivElement | null>): Moved {
  const layer = useRef<HTMLDivElement>(null);
  const camera = useRef<Camera>({ x: 0, y: 0, scale: 1 });
  const rest = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [drawn, setDrawn] = useState<{ readonly box: Box; readonly isFar: boolean }>({
    box: { left: 0, top: 0, right: 0, bottom: 0 },
    isFar: false,
  });
  const apply = (next: Camera, size: Size): void => {
    camera.current = next;
    const { style } = layer.current ?? {};
    if (style === undefined) return;
    style.transform = `translate(${next.x}px, ${next.y}px) scale(${next.scale})`;
    // The browser moves a picture of the layer while this is set, and draws it again afterwards.
    style.willChange = 'transform';
    clearTimeout(rest.current);
    rest.current = setTimeout(() => {
      style.willChange = 'auto';
    }, restMs);
    const isFar = next.scale < textScale;
    setDrawn((before) => {
      const box = drawnBox(before.box, next, size);
      return box === before.box && isFar === before.isFar ? before : { box, isFar };
    });
  };
  const move: Moved['move'] = (change) => {
    const size = view.current?.getBoundingClientRect();
    if (size !== undefined) apply(change(camera.current, size), size);
  };
  const { width, height } = layout;
  useLayoutEffect(() => move((_, size) => fitted(layout, size)), [width, height]);
  useEffect(() => listen(view.current, move), []);
  const show = (node: PlacedNode): void => {
    move((now, size) => (isIn(now, node, size) ? now : centered(now, node, size)));
  };
  return { layer, ...drawn, move, show };
}

function isIn({ x, y, scale }: Camera, node: PlacedNode, size: Size): boolean {
  const left = node.x * scale + x;
  const top = node.y * scale + y;
  return left > 0 && top > 0 && left < size.width - 40 && top < size.height - 20;
}

/** One pointer drags, two zoom, the wheel zooms. Returns how to stop. */
function listen(element: HTMLElement | null, move: Moved['move']): (() => void) | undefined {
  if (element === null) return undefined;
  const stop = new AbortController();
  const { signal } = stop;
  const pointers = new Map<number, { readonly x: number; readonly y: number }>();
  let travelled = 0;
  const place = (event: MouseEvent): { readonly x: number; readonly y: number } => {
    const { left, top } = element.getBoundingClientRect();
    return { x: event.clientX - left, y: event.clientY - top };
  };
  const onMove = (event: PointerEvent): void => {
    const before = pointers.get(event.pointerId);
    if (before === undefined) return;
    const now = place(event);
    const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
    pointers.set(event.pointerId, now);
    travelled += Math.abs(now.x - before.x) + Math.abs(now.y - before.y);
    if (travelled < clickPixels) return;
    element.setPointerCapture(event.pointerId);
    if (other === undefined) {
      move((camera) => ({
        ...camera,
        x: camera.x + now.x - before.x,
        y: camera.y + now.y - before.y,
      }));
    } else {
      const apart = (point: typeof now): number => Math.hypot(point.x - other.x, point.y - other.y);
      const factor = apart(now) / Math.max(1, apart(before));
      move((camera) => zoomed(camera, factor, (now.x + other.x) / 2, (now.y + other.y) / 2));
    }
  };
  const onDown = (event: PointerEvent): void => {
    if (pointers.size === 0) travelled = 0;
    pointers.set(event.pointerId, place(event));
  };
  const onEnd = (event: PointerEvent): void => void pointers.delete(event.pointerId);
  const onWheel = (event: WheelEvent): void => {
    event.preventDefault();
    const { x, y } = place(event);
    move((camera) => zoomed(camera, wheelFactor ** -event.deltaY, x, y));
  };
  const onClick = (event: MouseEvent): void => {
    if (travelled >= clickPixels) event.stopPropagation();
  };
  element.addEventListener('pointerdown', onDown, { signal });
  element.addEventListener('pointermove', onMove, { signal });
  element.addEventListener('pointerup', onEnd, { signal });
  element.addEventListener('pointercancel', onEnd, { signal });
  element.addEventListener('wheel', onWheel, { signal, passive: false });
  element.addEventListener('click', onClick, { signal, capture: true });
  return () => stop.abort();
}
