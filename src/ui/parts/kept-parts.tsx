import { Activity, useState, type ReactNode } from 'react';

interface KeptPartsProps {
  readonly current: string;
  /** Those that go on while they are not seen: what runs in a shell must not end because somebody looks at the events. */
  readonly alive?: ReadonlySet<string>;
  children(id: string): ReactNode;
}

const none: ReadonlySet<string> = new Set();

/** Parts of a screen that were looked at stay as they were left, and rest until somebody comes back to them. */
export function KeptParts({ current, alive = none, children }: KeptPartsProps) {
  const [visited, setVisited] = useState([current]);
  const shown = visited.includes(current) ? visited : [...visited, current];
  if (shown !== visited) setVisited(shown);
  return shown.map(id => {
    const isCurrent = id === current;
    if (!alive.has(id))
      return (
        <Activity key={id} mode={isCurrent ? 'visible' : 'hidden'}>
          {children(id)}
        </Activity>
      );
    return (
      <div key={id} className="kept" hidden={!isCurrent}>
        {children(id)}
      </div>
    );
  });
}
