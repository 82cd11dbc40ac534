/* Labels as people write them: a line of key=value for each. */

export const printLabels = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(pair => pair.join('='))
    .join('\n');

export function parseLabels(text: string): Record<string, string> {
  const lines = text.split('\n').map(line => line.trim());
  return Object.fromEntries(
    lines.filter(Boolean).map(line => {
      const [key = '', ...value] = line.split('=');
      return [key.trim(), value.join('=').trim()];
    }),
  );
}

/** As a merge patch has it: null takes a label away. */
export function changesOf(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): Record<string, string | null> {
  const changes: Record<string, string | null> = {};
  for (const key of Object.keys(before)) if (!(key in after)) changes[key] = null;
  for (const [key, value] of Object.entries(after)) if (before[key] !== value) changes[key] = value;
  return changes;
}
