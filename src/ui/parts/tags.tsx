import { titled } from './titled.ts';

/** Labels as `key=value`. */
export function Tags({ labels }: { labels: Readonly<Record<string, string>> | undefined }) {
  const all = Object.entries(labels ?? {});
  if (all.length === 0) return <span className="muted">–</span>;
  return (
    <span className="row tags">
      {all.map(([key, value]) => (
        <span key={key} className="tag" onPointerEnter={titled(`${key}=${value}`)}>
          {value === '' ? key : `${key}=${value}`}
        </span>
      ))}
    </span>
  );
}
