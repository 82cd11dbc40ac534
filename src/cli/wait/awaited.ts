import { InvalidArgumentError } from 'commander';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.ts';
import { compileJsonPath } from '../../util/jsonpath.ts';
import { relaxedTemplate } from '../output/relaxed-path.ts';

/** What `--for` waits for. */
export interface Awaited {
  /** Whether the object may be missing while it is waited for, or must. */
  readonly absence: 'failure' | 'goal' | 'start';
  /** How it is put when it has come true, in kubectl's words. */
  readonly done: string;
  judge(object: JsonObject): { readonly isDone: boolean; readonly state: string };
}

/** Reads `delete`, `create`, `condition=NAME[=VALUE]` or `jsonpath={…}[=VALUE]`. */
export function parseAwaited(text: string): Awaited {
  if (text.toLowerCase() === 'delete')
    return {
      absence: 'goal',
      done: 'deleted',
      judge: object => ({ isDone: false, state: isLeaving(object) ? 'is being deleted' : 'is still there' }),
    };
  if (text.toLowerCase() === 'create')
    return { absence: 'start', done: 'condition met', judge: () => ({ isDone: true, state: 'is there' }) };
  const condition = /^condition=([^=]+)(?:=(.+))?$/i.exec(text);
  if (condition) return awaitedCondition(condition[1]!, condition[2] ?? 'true');
  const path = /^jsonpath=(.+)$/i.exec(text);
  if (path) return awaitedPath(path[1]!);
  throw new InvalidArgumentError('It is not delete, create, condition=NAME[=VALUE] or jsonpath={PATH}[=VALUE].');
}

const isLeaving = ({ metadata }: JsonObject): boolean => isJsonObject(metadata) && metadata['deletionTimestamp'] !== undefined;

function awaitedCondition(name: string, wanted: string): Awaited {
  return {
    absence: 'failure',
    done: 'condition met',
    judge(object) {
      const { status, metadata } = object;
      const conditions = isJsonObject(status) && Array.isArray(status['conditions']) ? status['conditions'].filter(isJsonObject) : [];
      const found = conditions.find(one => textOf(one['type']).toLowerCase() === name.toLowerCase());
      if (!found) return { isDone: false, state: `has no condition ${name} yet` };
      const generation = isJsonObject(metadata) ? metadata['generation'] : undefined;
      const observed = found['observedGeneration'] ?? (isJsonObject(status) ? status['observedGeneration'] : undefined);
      if (typeof generation === 'number' && typeof observed === 'number' && observed < generation)
        return { isDone: false, state: 'was changed and not looked at since' };
      const value = textOf(found['status']);
      const why = textOf(found['message']) || textOf(found['reason']);
      return { isDone: value.toLowerCase() === wanted.toLowerCase(), state: `${name} is ${value}${why === '' ? '' : `: ${why}`}` };
    },
  };
}

/** With no value it is enough that there is something. */
function awaitedPath(text: string): Awaited {
  const end = text.startsWith('{') ? text.indexOf('}=') : text.indexOf('=');
  const [template, wanted] =
    end < 0 ? [text] : text.startsWith('{') ? [text.slice(0, end + 1), text.slice(end + 2)] : [text.slice(0, end), text.slice(end + 1)];
  let path;
  try {
    path = compileJsonPath(relaxedTemplate(template!), { allowMissing: true });
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
  return {
    absence: 'failure',
    done: 'condition met',
    judge(object) {
      const found = path.find(object as Json);
      const value = found.length === 0 ? '' : path.print(object as Json);
      const isDone = wanted === undefined ? found.length > 0 && value !== '' : value === wanted;
      return { isDone, state: value === '' ? `has no ${template}` : `${template} is ${value}` };
    },
  };
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
