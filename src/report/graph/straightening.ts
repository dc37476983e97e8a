import { type Link, type Neighbors, neighborsOf, passesFor } from './crossings.ts';

/** Passes over all layers, down and up in turn; the last one looks at both sides. */
const passes = 7;

interface CellSizes {
  /** Size of each cell across the layers. */
  readonly sizes: readonly number[];
  readonly gap: number;
  /** Cells from this index on are passed by edges. A row of these is kept straight. */
  readonly passingFrom: number;
}

/**
 * Middle of each cell across the layers: as near to its neighbors as the order and the gaps allow. Each layer is placed
 * by least squares (isotonic regression), which is exact and linear. The smallest border is at 0.
 */
export function straightened(
  layers: readonly (readonly number[])[],
  links: readonly Link[],
  cells: CellSizes,
): Float64Array {
  const { sizes, gap } = cells;
  const middle = new Float64Array(sizes.length);
  const above = neighborsOf(links, sizes.length, 'above');
  const below = neighborsOf(links, sizes.length, 'below');
  for (const layer of layers) {
    let next = 0;
    for (const cell of layer) {
      const size = sizes[cell] ?? 0;
      middle[cell] = next + size / 2;
      next += size + gap;
    }
  }
  const most = passesFor(passes - 1, sizes.length) + 1;
  for (let pass = 0; pass < most; pass += 1) {
    const isLast = pass === most - 1;
    const down = pass % 2 === 0;
    const sides = isLast ? [above, below] : [down ? above : below];
    for (const layer of down ? layers : layers.toReversed()) place(layer, sides, cells, middle);
  }
  let top = Number.POSITIVE_INFINITY;
  for (const [cell, size] of sizes.entries()) top = Math.min(top, (middle[cell] ?? 0) - size / 2);
  return middle.map((value) => value - top);
}

/** Cells that are pushed together: sum of the wanted places, their weight, and how many cells. */
interface Block {
  readonly sum: number;
  readonly weight: number;
  readonly count: number;
}

/** Places the cells of a layer in their order, at least `gap` apart, with the least squared distance to where they want. */
function place(
  layer: readonly number[],
  sides: readonly Neighbors[],
  { sizes, gap, passingFrom }: CellSizes,
  middle: Float64Array,
): void {
  // Without the room that the cells before take, the order is all that is left to keep.
  const offsets = new Float64Array(layer.length);
  const blocks: Block[] = [];
  for (let at = 0; at < layer.length; at += 1) {
    const cell = layer[at] ?? 0;
    const before = layer[at - 1];
    const room = before === undefined ? 0 : ((sizes[before] ?? 0) + (sizes[cell] ?? 0)) / 2 + gap;
    const offset = (offsets[at - 1] ?? 0) + room;
    offsets[at] = offset;
    let [sum, weight] = [0, 0];
    for (const { starts, ends } of sides) {
      for (let i = starts[cell] ?? 0; i < (starts[cell + 1] ?? 0); i += 1) {
        const other = ends[i] ?? 0;
        const passing = Number(cell >= passingFrom) + Number(other >= passingFrom);
        const pull = passing === 2 ? 8 : 1 + passing;
        sum += pull * (middle[other] ?? 0);
        weight += pull;
      }
    }
    // A cell without neighbors on these sides stays where it is, but gives way.
    if (weight === 0) [sum, weight] = [(middle[cell] ?? 0) / 100, 1 / 100];
    push(blocks, { sum: sum - weight * offset, weight, count: 1 });
  }
  let at = 0;
  for (const { sum, weight, count } of blocks) {
    for (const end = at + count; at < end; at += 1) {
      middle[layer[at] ?? 0] = sum / weight + (offsets[at] ?? 0);
    }
  }
}

/** Adds a block, merged with those before it that want to be further down. */
function push(blocks: Block[], added: Block): void {
  let block = added;
  for (let last = blocks.at(-1); last !== undefined; last = blocks.at(-1)) {
    if (last.sum / last.weight <= block.sum / block.weight) break;
    blocks.pop();
    block = {
      sum: last.sum + block.sum,
      weight: last.weight + block.weight,
      count: last.count + block.count,
    };
  }
  blocks.push(block);
}
