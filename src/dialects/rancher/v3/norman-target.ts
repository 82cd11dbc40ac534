import { NormanError } from './norman-error.ts';

/** What a request asks for. */
export interface NormanTarget {
  /** The parts of the path, decoded one by one. */
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
}

/** Reads the address of a request: repeated slashes count once, one at the end is nothing. */
export function parseNormanTarget(url: string): NormanTarget {
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const query = new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1));
  return {
    segments: path
      .split('/')
      .filter(part => part !== '')
      .map(decode),
    query,
  };
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new NormanError(422, 'InvalidFormat', 'the path contains a broken escape');
  }
}

/** The action a POST asks for. Actions are never asked for by other methods: whoever follows a link must not change anything. */
export function actionOf(method: string, query: URLSearchParams): string | undefined {
  const action = query.get('action') ?? '';
  return method === 'POST' && action !== '' ? action : undefined;
}
