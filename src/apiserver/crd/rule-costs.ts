import { at, forbidden, type FieldError } from '../../api/field-error.ts';
import type { CelType } from '../../cel/cel-type.ts';
import { estimateCost } from '../../cel/estimate-cost.ts';
import { product } from '../../cel/size-estimate.ts';
import { ruleVariables, type CompiledRule } from './cel-rules.ts';
import type { SchemaProps } from './schema-props.ts';
import { maxCardinality, sizeOfPathIn } from './schema-sizes.ts';

/** What one expression, and what all of a schema, may be estimated to cost. */
const ruleLimit = 10_000_000;
const schemaLimit = 100_000_000;
const maxNamed = 4;

interface Place {
  readonly schema: SchemaProps;
  readonly type: CelType;
  readonly isResourceRoot: boolean;
  readonly cardinality: number | undefined;
}

/** Estimates what the rules of a definition would cost on the largest objects, and refuses those that cost too much. */
export class RuleCosts {
  #total = 0;
  readonly #dearest: { readonly path: string; readonly cost: number }[] = [];

  errorsOf({ rule, program, messageProgram }: CompiledRule, path: string, place: Place): FieldError[] {
    if (!program) return [];
    const variables = ruleVariables(rule, place.type);
    const sizes = sizeOfPathIn(place.schema, place.isResourceRoot);
    const times = place.cardinality ?? maxCardinality(place.schema, place.isResourceRoot);
    const errors = this.#observe(at.child(path, 'rule'), product(estimateCost(program.expression, { variables }, sizes), times), 'rule');
    if (!messageProgram) return errors;
    const cost = estimateCost(messageProgram.expression, { variables }, sizes);
    return [...errors, ...this.#observe(at.child(path, 'messageExpression'), cost, 'messageExpression')];
  }

  #observe(path: string, cost: number, what: 'rule' | 'messageExpression'): FieldError[] {
    this.#total += cost;
    if (cost >= schemaLimit / 100) this.#dearest.push({ path, cost });
    return cost > ruleLimit ? [forbidden(path, tooDear(`estimated ${what} cost`, cost, ruleLimit))] : [];
  }

  totalErrors(path: string): FieldError[] {
    if (this.#total <= schemaLimit) return [];
    const part = 'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
    const named = this.#dearest.toSorted((a, b) => b.cost - a.cost).slice(0, maxNamed);
    const whole = 'x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema';
    return [...named.map(one => forbidden(one.path, part)), forbidden(path, tooDear(whole, this.#total, schemaLimit))];
  }
}

function tooDear(what: string, cost: number, limit: number): string {
  const times = cost / limit;
  const factor = times > 100 ? 'more than 100x' : times < 1.5 ? `${times.toFixed(6)}x` : `${times.toFixed(1)}x`;
  const advice = 'try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared';
  return `${what} exceeds budget by factor of ${factor} (${advice})`;
}
