import type { JsonObject } from '../../../util/json.ts';
import type { ExpressionScope } from '../expressions/evaluate.ts';
import { renderText } from '../expressions/render-text.ts';
import type { ClusterSelection } from './select-clusters.ts';

/** The selection of an InfrastructureDefinition with its expressions rendered. Throws UnresolvedExpression. */
export function renderSelection(spec: JsonObject, scope: ExpressionScope): ClusterSelection {
  const selection = spec as unknown as ClusterSelection;
  const render = (text: string) => renderText(text, scope);
  const names = (list: readonly string[] | undefined) => list?.map(render);
  const { clusterSelectionCriteria: criteria, clusterNames, exclude } = selection;
  return {
    ...selection,
    ...(criteria && {
      clusterSelectionCriteria: criteria.map(one => ({ labelName: render(one.labelName), labelValues: render(one.labelValues) })),
    }),
    ...(clusterNames && { clusterNames: names(clusterNames)! }),
    ...(exclude && { exclude: { ...exclude, ...(exclude.clusterNames && { clusterNames: names(exclude.clusterNames)! }) } }),
  };
}
