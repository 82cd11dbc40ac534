import { printEntry } from '../../dialects/workflows/logs/print-entry.ts';
import { visibleLine, visibleText } from '../output/visible-text.ts';

interface Entry {
  readonly ts: string;
  readonly level: 'INFO' | 'WARN' | 'ERROR';
  readonly cluster: string | null;
  readonly step: string;
  readonly unit: string;
  readonly msg: string;
}

/** Lines of a log as people know them. Where they come from is said before each line, or when it changes, as `tail` does with many files. */
export function logPrinter(hasPrefix: boolean): (line: string) => string {
  let last = '';
  return line => {
    const entry = JSON.parse(line) as Entry;
    const place = visibleLine([entry.cluster ?? 'run', entry.step, entry.unit].join(' / '));
    const text = `${visibleText(printEntry(entry))}\n`;
    if (hasPrefix) return `[${place}] ${text}`;
    const head = place === last ? '' : `${last === '' ? '' : '\n'}==> ${place} <==\n`;
    last = place;
    return head + text;
  };
}
