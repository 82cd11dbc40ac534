import type { KubeObject } from '../../../api/object.ts';
import type { ObjectRef } from '../../../core/delivery/object-ref.ts';
import type { LogLine, LogUnit } from '../logs/run-logs.ts';

export interface UnitLog {
  readonly lines: readonly LogLine[];
  info(text: string): UnitLog;
  warn(text: string): UnitLog;
  error(text: string): UnitLog;
  /** The last line of a unit that went well. */
  done(): UnitLog;
  failed(): UnitLog;
}

/** Lines of one unit. A text of several lines is as many. */
export function unitLog(unit: LogUnit): UnitLog {
  const lines: LogLine[] = [];
  const say = (level: LogLine['level']) => (text: string) => {
    for (const message of text.split('\n')) lines.push({ unit, level, message });
    return log;
  };
  const log = {
    lines,
    info: say('INFO'),
    warn: say('WARN'),
    error: say('ERROR'),
    done: () => log.info('Done.'),
    failed: () => log.info('Failed.'),
  };
  return log;
}

const row = (kind: string, name: string, versioned: string): string => `${kind.padEnd(20)}${name.padEnd(40)}${versioned.padEnd(10)}`;

/** As Harness prints what it found. */
export function resourceTable(objects: readonly KubeObject[], isVersioned: (obj: KubeObject) => boolean): string {
  const rows = objects.map(obj => row(obj.kind, obj.metadata.name ?? '', String(isVersioned(obj))));
  return [row('Kind', 'Name', 'Versioned'), ...rows].join('\n');
}

export const refLine = ({ kind, namespace, name }: ObjectRef): string =>
  (namespace === undefined ? '' : `${namespace}/`) + `${kind}/${name}`;
