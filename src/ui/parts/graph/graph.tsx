import { useMemo, type ReactNode } from 'react';
import { PlaceLink } from '../../app/place.tsx';
import type { Tone } from '../state-badge.tsx';
import { placeNodes, type GraphNode } from './layers.ts';

export interface ShownNode extends GraphNode {
  readonly title: string;
  /** Below the title. */
  readonly about?: ReactNode;
  readonly tone?: Tone;
  readonly to?: string;
}

const width = 212;
const height = 62;
const gapX = 72;
const gapY = 18;
const edge = 12;

/** Who comes before whom, from left to right. A table that says the same stands beside it, for those who cannot see it. */
export function Graph({ name, nodes }: { name: string; nodes: readonly ShownNode[] }) {
  const placed = useMemo(() => placeNodes(nodes), [nodes]);
  const at = new Map(placed.map(one => [one.node.id, one]));
  const left = (column: number) => edge + column * (width + gapX);
  const top = (row: number) => edge + row * (height + gapY);
  const size = {
    width: left(Math.max(0, ...placed.map(one => one.column))) + width + edge,
    height: top(Math.max(0, ...placed.map(one => one.row))) + height + edge,
  };
  return (
    <div className="graph" role="group" aria-label={name} tabIndex={0}>
      <div className="graph-ground" style={size}>
        <svg {...size} aria-hidden="true">
          {placed.flatMap(({ node, column, row }) =>
            node.after.flatMap(id => {
              const from = at.get(id);
              if (!from) return [];
              const [x1, y1] = [left(from.column) + width, top(from.row) + height / 2];
              const [x2, y2] = [left(column), top(row) + height / 2];
              return (
                <g key={`${id} ${node.id}`}>
                  <path d={curve(x1, y1, x2 - 6, y2, column - from.column > 1)} />
                  <path className="tip" d={`M${x2 - 8} ${y2 - 4}L${x2} ${y2}L${x2 - 8} ${y2 + 4}z`} />
                </g>
              );
            }),
          )}
        </svg>
        {placed.map(({ node, column, row }) => {
          const { id, title, about, tone = 'idle', to } = node;
          const look = { className: `graph-node ${tone}`, style: { left: left(column), top: top(row), width, height } };
          const inside = (
            <>
              <strong className="cut" title={title}>
                <bdi>{title}</bdi>
              </strong>
              <span className="cut">{about}</span>
            </>
          );
          return to === undefined ? (
            <div key={id} {...look}>
              {inside}
            </div>
          ) : (
            <PlaceLink key={id} to={to} {...look}>
              {inside}
            </PlaceLink>
          );
        })}
      </div>
    </div>
  );
}

/** A long one goes below the nodes that stand between. */
function curve(x1: number, y1: number, x2: number, y2: number, isLong: boolean): string {
  const bend = isLong ? gapX / 2 : Math.max(24, (x2 - x1) / 2);
  if (!isLong) return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
  const low = Math.max(y1, y2) + (height + gapY) / 2;
  const [left, right] = [x1 + gapX, x2 - gapX];
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${left - bend} ${low} ${left} ${low}H${right}C${right + bend} ${low} ${x2 - bend} ${y2} ${x2} ${y2}`;
}
