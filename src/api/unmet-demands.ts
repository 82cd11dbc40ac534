import { getMember } from '../util/json.ts';
import { requirementMatches } from './label-query.ts';
import { selectorDemands, type LabelSelector } from './label-selector.ts';

type Labels = Readonly<Record<string, string>>;

/** Why labels do not satisfy a selector, one phrase for each demand that fails: `env is "test", not "prod"`. Empty when they do. */
export function unmetDemands(selector: LabelSelector, labels: Labels = {}): string[] {
  return selectorDemands(selector)
    .filter(demand => !requirementMatches(demand, labels))
    .map(({ key, operator, values }) => {
      const value = getMember(labels, key);
      const wanted = values.map(one => JSON.stringify(one)).join(' or ');
      if (operator === 'exists') return `it has no label ${key}`;
      if (operator === '!') return `it has the label ${key}`;
      if (operator === 'notin') return `${key} is ${JSON.stringify(value)}`;
      return value === undefined ? `it has no label ${key}, and ${wanted} is wanted` : `${key} is ${JSON.stringify(value)}, not ${wanted}`;
    });
}

/** Why no service selects a member that nobody has a ClusterDeployment for, and what to do about it. */
export const withoutDeployment =
  'it has no ClusterDeployment; one of its name in kcm-system, with template adopted-cluster-1-0-1, lets services select it';
