/** An error and what caused it, outermost first. */
export function causesOf(error: unknown): unknown[] {
  const chain: unknown[] = [];
  for (let at = error; at !== undefined && !chain.includes(at); at = at instanceof Error ? at.cause : undefined) chain.push(at);
  return chain;
}

/** An error in one line: `cannot join "east": cannot reach "https://…": connection refused`. */
export function errorText(error: unknown): string {
  let words = '';
  for (const one of causesOf(error)) {
    const text = messageOf(one);
    // Each fact once: a message that repeats its cause is not followed by it.
    if (words.includes(text)) continue;
    words = words === '' ? text : `${words}: ${text}`;
  }
  return words;
}

function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return [...new Set(error.errors.map(messageOf))].join(', ');
  if (error instanceof Error) return error.message === '' ? error.name : error.message;
  return String(error);
}
