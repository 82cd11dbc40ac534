/** Leaves of a log the lines that have some words. */
export function LineFilter({ words, onChange }: { words: string; onChange(words: string): void }) {
  return (
    <input
      className="input log-filter"
      type="search"
      aria-label="Lines that have"
      placeholder="Lines that have…"
      value={words}
      onChange={event => onChange(event.target.value)}
    />
  );
}
