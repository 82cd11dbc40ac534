import type { JsonObject } from '../../util/json.ts';
import type { GoMap } from '../go/go-value.ts';
import { inRendering, newRendering } from '../go/rendering.ts';
import { toGoValue } from '../go/to-go-value.ts';
import { helmFunctions } from '../helm/helm-functions.ts';
import { TemplateSet } from '../template/template-set.ts';
import { objectFunctions, type NamedObjects } from './object-functions.ts';
import { readMap } from './read-map.ts';

/** A template that stands alone. */
export interface TextTemplate {
  /** What its errors call it. */
  readonly name: string;
  readonly text: string;
  /** What it sees as its dot. A key that is missing is an error. */
  readonly dot: JsonObject;
  /** What `getResource` and its like find. */
  readonly objects: NamedObjects;
}

const limits = { steps: 5_000_000, output: 8 * 1024 * 1024 };
const maxMs = 2_000;

/** What the template gives. Throws in Go's words, which tell the line. */
export function renderText({ name, text, dot, objects }: TextTemplate): string {
  const functions = new Map([...helmFunctions, ...objectFunctions(objects)]);
  const set = new TemplateSet(functions, { isStrict: true, limits: { ...limits, deadline: performance.now() + maxMs } });
  return inRendering(newRendering(), () => {
    set.parse(name, text);
    return set.execute(name, toGoValue(dot) as GoMap);
  });
}

/** A template of YAML that gives a map. */
export function renderMap(template: TextTemplate): JsonObject {
  return readMap(renderText(template));
}
