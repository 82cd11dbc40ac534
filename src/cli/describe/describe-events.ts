import { ageOf } from '../../apiserver/table/human-duration.ts';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.ts';
import { TabWriter } from '../output/tab-writer.ts';
import { visibleLine } from '../output/visible-text.ts';

/** The events of an object, the oldest first, as kubectl shows them. Empty when there are none. */
export function describeEvents(events: readonly JsonObject[], now: Date): string {
  if (events.length === 0) return '';
  const table = new TabWriter({ minWidth: 0, padding: 2, remembers: false });
  table.line('  Type\tReason\tAge\tFrom\tMessage');
  table.line('  ----\t------\t----\t----\t-------');
  for (const event of events.toSorted((a, b) => lastTime(a) - lastTime(b)))
    table.line(
      `  ${[text(event['type']), text(event['reason']), age(event, now), source(event), text(event['message'])].map(visibleLine).join('\t')}`,
    );
  return `Events:\n${table.flush()}`;
}

const text = (value: Json | undefined): string => (typeof value === 'string' ? value.trim() : '');

const field = (event: JsonObject, name: string, inner: string): Json | undefined =>
  isJsonObject(event[name]) ? event[name][inner] : undefined;

const source = (event: JsonObject): string => text(field(event, 'source', 'component')) || text(event['reportingComponent']);

const firstTimestamp = (event: JsonObject): string => text(event['eventTime']) || text(event['firstTimestamp']);

const lastTimestamp = (event: JsonObject): string =>
  text(field(event, 'series', 'lastObservedTime')) || text(event['lastTimestamp']) || text(event['eventTime']);

const lastTime = (event: JsonObject): number => Date.parse(lastTimestamp(event)) || 0;

function age(event: JsonObject, now: Date): string {
  const first = ageOf(firstTimestamp(event), now);
  const count = field(event, 'series', 'count') ?? event['count'];
  return typeof count === 'number' && count > 1 ? `${ageOf(lastTimestamp(event), now)} (x${count} over ${first})` : first;
}
