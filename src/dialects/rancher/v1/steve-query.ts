import { compareTexts } from '../../../util/compare-texts.ts';
import type { Json, JsonObject } from '../../../util/json.ts';
import { parseFieldPath, valuesAt, type FieldPath } from './field-path.ts';

/** A term of a filter: one of the values, or none of them, is found at the path. */
export interface Term {
  readonly path: FieldPath;
  readonly isNegated: boolean;
  readonly values: readonly TermValue[];
}

export interface TermValue {
  readonly text: string;
  /** Otherwise a part of the text is enough. */
  readonly isExact: boolean;
}

/** Projects and namespaces that objects must be in, or must not. */
export interface Places {
  readonly names: readonly string[];
  readonly isNegated: boolean;
}

/** What a list is asked for. */
export interface SteveQuery {
  /** Each needs one of its terms to hold. */
  readonly filters: readonly (readonly Term[])[];
  readonly sort: readonly SortKey[];
  readonly limit: number;
  readonly continueToken: string | undefined;
  /** From 1 on. */
  readonly page: number;
  /** 0: everything is one page. */
  readonly pageSize: number;
  readonly exclude: readonly FieldPath[];
  readonly labelSelector: string | undefined;
  readonly fieldSelector: string | undefined;
  readonly places: Places | undefined;
}

export interface SortKey {
  readonly path: FieldPath;
  readonly isDescending: boolean;
}

export const defaultLimit = 100_000;

/** What cannot be read is not heard, as with Rancher. */
export function parseSteveQuery(query: URLSearchParams): SteveQuery {
  return {
    filters: query
      .getAll('filter')
      .map(parseFilter)
      .filter(terms => terms.length > 0),
    sort: listOf(query.get('sort')).flatMap(parseSortKey),
    limit: wholeNumber(query.get('limit')) || defaultLimit,
    continueToken: query.get('continue') || undefined,
    page: wholeNumber(query.get('page')) || 1,
    pageSize: wholeNumber(query.get('pagesize')),
    exclude: query.getAll('exclude').flatMap(text => {
      const path = parseFieldPath(text);
      return path ? [path] : [];
    }),
    labelSelector: query.get('labelSelector') || undefined,
    fieldSelector: query.get('fieldSelector') || undefined,
    places: placesOf(query.get('projectsornamespaces'), false) ?? placesOf(query.get('projectsornamespaces!'), true),
  };
}

/** Terms stand between commas; those in quotes and brackets do not count. */
export function parseFilter(text: string): Term[] {
  const parts = text.match(/(?:'[^']*'|\([^)]*\)|[^,'(])+/g) ?? [];
  return parts.flatMap(part => {
    const term = parseTerm(part.trim());
    return term ? [term] : [];
  });
}

const comparison = /^([^=!<>\s]+?)\s*(!?=)\s*(.*)$/s;
const membership = /^(\S+)\s+(in|notin)\s*\(([^)]*)\)$/is;

function parseTerm(text: string): Term | undefined {
  const [, listedPath, word, listed] = membership.exec(text) ?? [];
  if (listedPath !== undefined) return term(listedPath, word!.toLowerCase() === 'notin', listed!.split(','));
  const [, path, operator, value] = comparison.exec(text) ?? [];
  return path === undefined ? undefined : term(path, operator === '!=', [value!]);
}

function term(pathText: string, isNegated: boolean, values: readonly string[]): Term | undefined {
  const path = parseFieldPath(pathText);
  return path && { path, isNegated, values: values.map(value => termValue(value.trim())) };
}

function termValue(text: string): TermValue {
  const [, quoted] = /^'(.*)'$/s.exec(text) ?? [];
  return quoted === undefined ? { text, isExact: false } : { text: quoted, isExact: true };
}

function parseSortKey(text: string): SortKey[] {
  const isDescending = text.startsWith('-');
  const path = parseFieldPath(isDescending ? text.slice(1) : text);
  return path ? [{ path, isDescending }] : [];
}

function placesOf(text: string | null, isNegated: boolean): Places | undefined {
  const names = listOf(text);
  return names.length === 0 ? undefined : { names, isNegated };
}

const listOf = (text: string | null) =>
  (text ?? '')
    .split(',')
    .map(one => one.trim())
    .filter(one => one !== '');

/** 0 when it is none, or so large that nobody means it. */
const wholeNumber = (text: string | null) => (text !== null && /^[0-9]{1,9}$/.test(text) ? Number(text) : 0);

export function matchesFilters(obj: JsonObject, { filters }: Pick<SteveQuery, 'filters'>): boolean {
  return filters.every(terms => terms.some(one => holds(obj, one)));
}

function holds(obj: JsonObject, { path, isNegated, values }: Term): boolean {
  const found = valuesAt(obj, path).map(textOf);
  const isThere = found.some(text => values.some(value => (value.isExact ? text === value.text : text.includes(value.text))));
  return isThere !== isNegated;
}

export function sortObjects<T extends JsonObject>(objects: readonly T[], keys: readonly SortKey[]): readonly T[] {
  if (keys.length === 0) return objects;
  const keyed = objects.map(obj => ({ obj, values: keys.map(({ path }) => valuesAt(obj, path)[0]) }));
  keyed.sort((a, b) => {
    for (const [i, { isDescending }] of keys.entries()) {
      const order = compareValues(a.values[i], b.values[i]);
      if (order !== 0) return isDescending ? -order : order;
    }
    return 0;
  });
  return keyed.map(({ obj }) => obj);
}

/** What is absent comes first. */
function compareValues(a: Json | undefined, b: Json | undefined): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return compareTexts(textOf(a), textOf(b));
}

const textOf = (value: Json | undefined) => (value === undefined || value === null || typeof value === 'object' ? '' : String(value));
