import type { ReactNode } from 'react';

/** A few rows inside of a screen. What can be many is a `Table`. */
export function SmallTable({ name, heads, rows }: { name: string; heads: readonly string[]; rows: readonly (readonly ReactNode[])[] }) {
  return (
    <div className="small-table" role="region" aria-label={name} tabIndex={0}>
      <table>
        <caption className="unseen">{name}</caption>
        <thead>
          <tr>
            {heads.map(head => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, i) => (
            <tr key={i}>
              {cells.map((cell, j) => (
                <td key={j}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
