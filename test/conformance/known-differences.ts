/** Cases in which we answer otherwise than the real server, and why. Each is a promise we have not kept yet, or chose not to make. */
export const knownDifferences: Readonly<Record<string, string>> = {
  'custom-resources: refuses a definition with a costly rule':
    'the cost of CEL rules is limited when they run, not estimated when a definition is written (decision 4)',
  'custom-resources: refuses a definition with a costly message expression':
    'the cost of CEL rules is limited when they run, not estimated when a definition is written (decision 4)',
  'subresources: ephemeral containers': 'the diff in the refusal prints null where Go prints [] for an empty list',
};
