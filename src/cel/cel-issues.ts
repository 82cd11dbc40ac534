/** What is wrong with an expression, and where. */
export interface CelIssue {
  readonly pos: number;
  readonly message: string;
}

/** An expression that does not compile. The message is the one the real compiler prints, source line and marker included. */
export class CelIssues extends Error {
  override name = 'CelIssues';
  readonly issues: readonly CelIssue[];

  constructor(source: string, issues: readonly CelIssue[]) {
    super(
      issues
        .toSorted((a, b) => a.pos - b.pos)
        .map(issue => printIssue(source, issue))
        .join('\n'),
    );
    this.issues = issues;
  }
}

function printIssue(source: string, { pos, message }: CelIssue): string {
  const lineStart = source.lastIndexOf('\n', pos - 1) + 1;
  const lineEnd = source.indexOf('\n', pos);
  const line = source.slice(lineStart, lineEnd < 0 ? source.length : lineEnd).replaceAll('\t', ' ');
  const lineNumber = source.slice(0, lineStart).split('\n').length;
  const column = [...source.slice(lineStart, pos)].length;
  return `ERROR: <input>:${lineNumber}:${column + 1}: ${message}\n | ${line}\n | ${'.'.repeat(column)}^`;
}
