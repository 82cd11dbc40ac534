import { errorText } from '../../util/error-text.ts';

/** The line about a member that did not answer. */
export function memberLine(cluster: string, error: unknown): string {
  const name = `cluster ${JSON.stringify(cluster)}`;
  const text = errorText(error);
  return `${text.startsWith(name) ? text : `${name}: ${text}`}\n`;
}
