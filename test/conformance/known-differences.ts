/** Cases in which we answer otherwise than the real server, and why. Each is a promise we have not kept yet, or chose not to make. */
export const knownDifferences: Readonly<Record<string, string>> = {
  'custom-resources: refuses a definition with a costly rule':
    'the cost of CEL rules is limited when they run, not estimated when a definition is written (decision 4)',
  'custom-resources: refuses a definition with a costly message expression':
    'the cost of CEL rules is limited when they run, not estimated when a definition is written (decision 4)',
  'custom-resources: an applied map of annotations without entries':
    'the real server keeps the empty map in its store though nobody can read it, so the next apply that changes nothing counts as a change',
  'subresources: ephemeral containers': 'the diff in the refusal prints null where Go prints [] for an empty list',
};
