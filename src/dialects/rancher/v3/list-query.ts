import { parseRequirements, requirementMatches, SelectorSyntaxError, type Requirement } from '../../../api/label-query.ts';
import type { Json } from '../../../util/json.ts';
import { compareTexts } from '../../../util/compare-texts.ts';
import { NormanError } from './norman-error.ts';
import type { Entry, Field, Fields, NormanType } from './norman-type.ts';

export const modifiers = ['eq', 'ne', 'in', 'notin'] as const;
export type Modifier = (typeof modifiers)[number];

export interface Filter {
  readonly field: string;
  readonly modifier: Modifier;
  /** Never empty. `eq` and `ne` look at the first only. */
  readonly values: readonly string[];
}

export interface ListQuery {
  readonly filters: readonly Filter[];
  readonly labels: readonly Requirement[];
  /** The field to sort by; `id` unless a field of the type was asked for. */
  readonly sort: string;
  readonly isDescending: boolean;
  readonly limit: number;
  /** Id of the first item of the page. */
  readonly marker: string | undefined;
}

export const defaultLimit = 1000;
export const maxLimit = 10_000;

/** What a client may ask a list for. What is no field of the type, or no modifier of the field, is not heard: clients of Rancher send such things always. */
export function parseListQuery(query: URLSearchParams, { fields, hasLabelSelector }: NormanType): ListQuery {
  const filters: Filter[] = [];
  for (const key of new Set(query.keys())) {
    const found = filterKey(key, fields);
    if (found) filters.push({ ...found, values: query.getAll(key) });
  }
  const sort = query.get('sort') ?? 'id';
  return {
    filters,
    labels: hasLabelSelector ? parseLabels(query.get('labelSelector') ?? '') : [],
    sort: sort !== 'id' && Object.hasOwn(fields, sort) && modifiersOf(fields[sort]!).length > 0 ? sort : 'id',
    isDescending: query.get('order') === 'desc',
    limit: parseLimit(query.get('limit')),
    marker: query.get('marker') ?? undefined,
  };
}

/** How a field can be filtered; not at all when empty. */
export function modifiersOf({ type }: Field): readonly Modifier[] {
  if (type === 'boolean') return ['eq', 'ne'];
  return ['string', 'enum', 'date', 'int'].includes(type) || type.startsWith('reference[') ? modifiers : [];
}

function filterKey(key: string, fields: Fields): { field: string; modifier: Modifier } | undefined {
  const cut = key.lastIndexOf('_');
  const field = cut < 0 ? key : key.slice(0, cut);
  const wanted = cut < 0 ? 'eq' : key.slice(cut + 1);
  const known: Field | undefined = field === 'id' ? { type: 'string' } : Object.hasOwn(fields, field) ? fields[field] : undefined;
  const modifier = known && modifiersOf(known).find(one => one === wanted);
  return modifier && { field, modifier };
}

function parseLimit(text: string | null): number {
  if (text === null || !/^-?[0-9]+$/.test(text)) return defaultLimit;
  const limit = Number(text);
  if (limit === -1 || limit > maxLimit) return maxLimit;
  return limit < 1 ? defaultLimit : limit;
}

function parseLabels(text: string): readonly Requirement[] {
  try {
    return parseRequirements(text);
  } catch (error) {
    if (!(error instanceof SelectorSyntaxError)) throw error;
    throw new NormanError(422, 'InvalidFormat', `labelSelector: ${error.message}`, 'labelSelector');
  }
}

export interface Page {
  readonly items: readonly Entry[];
  readonly total: number;
  /** Ids of the first items of other pages, when there are any. */
  readonly previous?: string;
  readonly next?: string;
  readonly last?: string;
  readonly isPartial: boolean;
}

/** The part of a list that was asked for. */
export function pageOf(entries: readonly Entry[], query: ListQuery, fields: Fields): Page {
  const isNarrow = query.filters.length > 0 || query.labels.length > 0;
  const wanted = isNarrow ? entries.filter(entry => matches(entry, query, fields)) : entries;
  const sorted = sortEntries(wanted, query, fields);
  const total = sorted.length;
  const start = startOf(sorted, query);
  const items = sorted.slice(start, start + query.limit);
  if (items.length === total) return { items, total, isPartial: false };
  const idAt = (position: number) => sorted[position]!.id;
  return {
    items,
    total,
    isPartial: true,
    ...(start > 0 && { previous: idAt(Math.max(0, start - query.limit)) }),
    ...(start + query.limit < total && { next: idAt(start + query.limit) }),
    last: idAt(Math.floor((total - 1) / query.limit) * query.limit),
  };
}

function matches(entry: Entry, { filters, labels }: ListQuery, fields: Fields): boolean {
  if (!filters.every(filter => passes(textAt(entry, filter.field, fields), filter))) return false;
  if (labels.length === 0) return true;
  const own = entry.fields()['labels'] as Record<string, string> | undefined;
  return labels.every(requirement => requirementMatches(requirement, own));
}

function passes(value: string, { modifier, values }: Filter): boolean {
  switch (modifier) {
    case 'eq':
      return value === values[0];
    case 'ne':
      return value !== values[0];
    case 'in':
      return values.includes(value);
    case 'notin':
      return !values.includes(value);
  }
}

function sortEntries(entries: readonly Entry[], { sort, isDescending }: ListQuery, fields: Fields): Entry[] {
  const direction = isDescending ? -1 : 1;
  if (sort === 'id') return entries.toSorted((a, b) => direction * compareTexts(a.id, b.id));
  const keyed = entries.map(entry => ({ entry, key: textAt(entry, sort, fields) }));
  keyed.sort((a, b) => direction * (compareTexts(a.key, b.key) || compareTexts(a.entry.id, b.entry.id)));
  return keyed.map(one => one.entry);
}

/** Where the page begins. In the order of ids a marker keeps its place when its own item has gone. */
function startOf(sorted: readonly Entry[], { marker, sort, isDescending }: ListQuery): number {
  if (marker === undefined) return 0;
  const exact = sorted.findIndex(entry => entry.id === marker);
  if (exact >= 0 || sort !== 'id') return Math.max(0, exact);
  const next = sorted.findIndex(entry => (isDescending ? compareTexts(entry.id, marker) < 0 : compareTexts(entry.id, marker) > 0));
  return next < 0 ? sorted.length : next;
}

function textAt(entry: Entry, field: string, fields: Fields): string {
  if (field === 'id') return entry.id;
  return textOf(entry.fields()[field] ?? fields[field]?.default);
}

const textOf = (value: Json | undefined) => (value === undefined || value === null || typeof value === 'object' ? '' : String(value));
