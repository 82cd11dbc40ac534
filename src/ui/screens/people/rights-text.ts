interface Rule {
  readonly verbs?: readonly string[];
  readonly resources?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

const listed = (names: readonly string[], all: string): string => (names.includes('*') ? all : names.join(', '));

/** What rules let people do, each thing once: `get, list settings; everything with users`. */
export function rightsText({ rules }: { readonly rules?: readonly Rule[] | null | undefined }): string {
  const lines = (rules ?? []).map(({ verbs = [], resources = [], nonResourceURLs = [] }) => {
    const [deeds, things] = [listed(verbs, 'everything'), listed([...resources, ...nonResourceURLs], 'everything')];
    if (deeds === 'everything') return things === 'everything' ? 'everything' : `everything with ${things}`;
    return `${deeds} ${things}`;
  });
  return [...new Set(lines)].join('; ');
}
