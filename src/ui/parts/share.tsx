/** A part of a whole, in hundredths: a figure, and a bar for those who skim. */
export function Share({ percent }: { percent: number }) {
  const level = percent >= 90 ? 'bad' : percent >= 75 ? 'warn' : 'good';
  return (
    <span className="share">
      <span className="number">{percent} %</span>
      <span className="share-bar" aria-hidden="true">
        <span className={level} style={{ width: `${Math.min(percent, 100)}%` }} />
      </span>
    </span>
  );
}
