export interface MetricDescription {
  readonly name: string;
  readonly type: 'gauge' | 'counter' | 'histogram';
  readonly help: string;
}

/** Lines of samples in the text format of Prometheus, sorted to their metrics and described. */
export function describeMetrics(descriptions: readonly MetricDescription[], lines: readonly string[]): string {
  const parts = new Map(descriptions.map(({ name }) => [name, [] as string[]]));
  for (const line of lines) {
    const name = /^[a-zA-Z0-9_]+/.exec(line)?.[0] ?? '';
    (parts.get(name) ?? parts.get(name.replace(/_(bucket|sum|count)$/, '')))?.push(line);
  }
  return descriptions
    .map(({ name, type, help }) => [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...parts.get(name)!, ''].join('\n'))
    .join('');
}

/** The value of a label in quotes, with what would end it written otherwise. */
export const labelValue = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
